/** The faults of a value as sentences with paths. Empty: it is valid. */
export type OutputCheck = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[]

/** The run's output from the model's last text: the text, or with a schema the parsed object. */
export const toOutput = (
  text: string,
  schema: Readonly<Record<string, unknown>> | null,
  check: OutputCheck,
): { output: Record<string, unknown> } | { problems: readonly string[] } => {
  if (!schema) return { output: { result: text } }
  const value = parse(text)
  if (value === undefined) return { problems: ['it is not JSON'] }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: ['it is not a JSON object'] }
  const problems = check(schema, value)
  return problems.length > 0 ? { problems } : { output: value as Record<string, unknown> }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

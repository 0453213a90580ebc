/** The run's output from the model's last text: the text, or with a schema the parsed object, which is still unchecked. */
export const toOutput = (
  text: string,
  schema: Readonly<Record<string, unknown>> | null,
): { output: Record<string, unknown> } | { problems: readonly string[] } => {
  if (!schema) return { output: { result: text } }
  const value = parse(text)
  if (value === undefined) return { problems: ['it is not JSON'] }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: ['it is not a JSON object'] }
  return { output: value as Record<string, unknown> }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

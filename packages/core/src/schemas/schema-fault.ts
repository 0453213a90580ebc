import { schemasBounds } from './bounds.ts'

/** One fault of a value. `message` is the predicate of a sentence about the field at `path`. */
export type ValueFault = { path: string; message: string; sentence?: string }

export type SchemaFault = { param: string; message: string }

export const maxFaults = schemasBounds.faultsTold.count

/** A fault that concerns the whole value or the schema: the sentence is complete. */
export const ofWhole = (sentence: string): ValueFault => ({ path: '', message: '', sentence })

/** The faults as sentences, each once. */
export const toSentences = (faults: readonly ValueFault[]): string[] =>
  [...new Set(faults.map(({ path, message, sentence }) => sentence ?? `${path || 'the value'} ${message}`))].slice(
    0,
    maxFaults,
  )

/** The faults for an error response: `param` and the message begin with the name of the checked field. */
export const toSchemaFaults = (faults: readonly ValueFault[], field: string): SchemaFault[] => {
  const byMessage = new Map<string, SchemaFault>()
  for (const { path, message, sentence } of faults) {
    const param = path === '' ? field : `${field}.${path}`
    const text = `${sentence ?? `${param} ${message}`}.`
    if (!byMessage.has(text)) byMessage.set(text, { param, message: text })
  }
  return [...byMessage.values()].slice(0, maxFaults)
}

const maxPathChars = schemasBounds.path.chars

/** The path of a part of a value, with dots. */
export const joinPath = (parts: readonly string[]): string => {
  const text = parts.join('.')
  return text.length <= maxPathChars ? text : `${text.slice(0, maxPathChars)}…`
}

/** The messages of the keywords that both evaluators know. */
export const messages = {
  required: 'is required',
  unknown: 'is not a known field',
  type: (types: readonly unknown[]): string => `must be ${types.map(typeName).join(' or ')}`,
  enum: (values: unknown): string => `must be one of ${JSON.stringify(values).slice(0, 200)}`,
  const: (value: unknown): string => `must be ${JSON.stringify(value)?.slice(0, 200)}`,
}

const typeName = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`

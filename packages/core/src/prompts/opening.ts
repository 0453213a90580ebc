import type { Message } from '../models/index.ts'

export type OpeningMessage = Extract<Message, { role: 'system' | 'user' }>

type Input = Readonly<Record<string, unknown>>

/** The messages with which the conversation of a run begins: the instructions, and the input as text. */
export const openingOf = (instructions: unknown, text: string): OpeningMessage[] => [
  ...(typeof instructions === 'string' && instructions !== '' ? [{ role: 'system' as const, text: instructions }] : []),
  { role: 'user', text },
]

/** The input as text, for an agent without `input_template`: `query` alone is its text, everything else is JSON. */
export const plainText = (input: Input): string =>
  typeof input.query === 'string' && Object.keys(input).length === 1 ? input.query : JSON.stringify(input)

/** The template of an agent; null: it has none. */
export const inputTemplateOf = ({ input_template }: Readonly<Record<string, unknown>>): string | null =>
  typeof input_template === 'string' ? input_template : null

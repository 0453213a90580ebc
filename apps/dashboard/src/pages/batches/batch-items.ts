import type { BatchItem } from '@agent-run-service/sdk'
import { isObject } from '../../ui/schema-form/schema-fields.ts'

/** The bounds of the API. A larger batch is refused before anything is sent. */
export const batchBounds = { items: 10_000, bytes: 33_554_432 } as const

export type ParsedItems =
  | { kind: 'items'; items: readonly BatchItem[]; bytes: number }
  | { kind: 'fault'; message: string }
  | { kind: 'empty' }

/** Reads items from a JSON array, or from JSON Lines: one object per line. */
export const parseItems = (text: string, bounds: { items: number; bytes: number } = batchBounds): ParsedItems => {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'empty' }
  const parsed = trimmed.startsWith('[') ? parseArray(trimmed) : parseLines(text)
  if (typeof parsed === 'string') return { kind: 'fault', message: parsed }
  if (parsed.length === 0) return { kind: 'fault', message: 'The list has no items.' }
  if (parsed.length > bounds.items) {
    return { kind: 'fault', message: `A batch has at most ${bounds.items} items. These are ${parsed.length}.` }
  }
  const items = parsed.map(itemOf)
  const bytes = new TextEncoder().encode(JSON.stringify(items)).length
  return bytes > bounds.bytes
    ? { kind: 'fault', message: 'A batch has at most 32 MiB. Split the items into several batches.' }
    : { kind: 'items', items, bytes }
}

/** An object with `input`, and with `custom_id` or without, is an item. Any other object is the input of one. */
const itemOf = (value: Record<string, unknown>): BatchItem => {
  const { input, custom_id, ...others } = value
  const isItem = isObject(input) && Object.keys(others).length === 0
  return isItem && (custom_id === undefined || typeof custom_id === 'string') ? (value as BatchItem) : { input: value }
}

const parseArray = (text: string): Record<string, unknown>[] | string => {
  const value = parse(text)
  if (!Array.isArray(value)) return 'This is not a JSON array. Check its brackets, quotes and commas.'
  const wrong = value.findIndex((each) => !isObject(each))
  return wrong < 0 ? value : `Item ${wrong + 1} is not a JSON object.`
}

const parseLines = (text: string): Record<string, unknown>[] | string => {
  const items: Record<string, unknown>[] = []
  for (const [n, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parse(line)
    if (value === undefined) return `Line ${n + 1} is not JSON. Write one JSON object per line, or a JSON array.`
    if (!isObject(value)) return `Line ${n + 1} is not a JSON object.`
    items.push(value)
  }
  return items
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

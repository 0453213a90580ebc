import type { Span } from '../rule.ts'

/**
 * All text of a value as one string: strings, names of fields and long numbers, one after the other. Each piece has a place in the
 * value, so that a found piece can be replaced.
 */
export type ContentText = { text: string; leaves: readonly Leaf[] }

type Leaf = { start: number; end: number; path: readonly Part[]; isName: boolean }
type Part = string | number

// No check finds anything that contains it, and no customer can type it into a keyword.
const separator = '\n\u0000\n'
/** A shorter number is neither a card nor a phone number. */
const minNumberDigits = 7

export const textOf = (content: unknown): ContentText => {
  if (typeof content === 'string') {
    return { text: content, leaves: [{ start: 0, end: content.length, path: [], isName: false }] }
  }
  const pieces: string[] = []
  const leaves: Leaf[] = []
  let length = 0
  const add = (piece: string, path: readonly Part[], isName: boolean): void => {
    leaves.push({ start: length, end: length + piece.length, path, isName })
    pieces.push(piece)
    length += piece.length + separator.length
  }
  // A stack in place of recursion: a value may be nested deeper than the stack of the process.
  const open: { value: unknown; path: readonly Part[] }[] = [{ value: content, path: [] }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string') add(value, path, false)
    else if (typeof value === 'number' && String(value).length >= minNumberDigits) add(String(value), path, false)
    else if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--) open.push({ value: value[at], path: [...path, at] })
    } else if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value)
      for (const [name] of fields) add(name, [...path, name], true)
      for (const [name, field] of fields.toReversed()) open.push({ value: field, path: [...path, name] })
    }
  }
  return { text: pieces.join(separator), leaves }
}

export type TokenSpan = Span & { token: string }

/** A copy of the value in which the found pieces are tokens. A piece that lies across fields is replaced in each. */
export const redactContent = (
  content: unknown,
  { leaves }: ContentText,
  replacements: readonly TokenSpan[],
): unknown => {
  const changed = leaves.flatMap((leaf) => {
    const inside = replacements.filter(({ start, end }) => start < leaf.end && end > leaf.start)
    return inside.length === 0 ? [] : [{ leaf, inside }]
  })
  const isWhole = typeof content === 'string' || typeof content === 'number'
  if (isWhole) return replacements.length === 0 ? content : redactText(String(content), replacements)
  const copy: unknown = structuredClone(content)
  // Names last: a renamed field would no longer be found by its path, and the deepest first for the same reason.
  const order = changed.toSorted((one, other) =>
    one.leaf.isName === other.leaf.isName
      ? other.leaf.path.length - one.leaf.path.length
      : Number(one.leaf.isName) - Number(other.leaf.isName),
  )
  for (const { leaf, inside } of order) {
    const last = leaf.path.at(-1)
    const holder = leaf.path.slice(0, -1).reduce<unknown>((value, part) => fieldsOf(value)[String(part)], copy)
    if (last === undefined) continue
    const fields = fieldsOf(holder)
    const was = leaf.isName ? String(last) : String(fields[String(last)])
    const clipped = inside.map(({ start, end, ...rest }) => ({
      ...rest,
      start: Math.max(0, start - leaf.start),
      end: Math.min(was.length, end - leaf.start),
    }))
    const redacted = redactText(was, clipped)
    if (leaf.isName) rename(fields, was, redacted)
    else fields[String(last)] = redacted
  }
  return copy
}

/** The pieces do not overlap and are in order. */
export const redactText = (text: string, replacements: readonly TokenSpan[]): string => {
  let out = ''
  let at = 0
  for (const { start, end, token } of replacements) {
    out += text.slice(at, start) + token
    at = end
  }
  return out + text.slice(at)
}

const fieldsOf = (value: unknown): Record<string, unknown> => value as Record<string, unknown>

const rename = (fields: Record<string, unknown>, from: string, to: string): void => {
  const value = fields[from]
  delete fields[from]
  fields[to] = value
}

/** Pieces that several rules have found, in order and without overlap: of two that overlap, the longer one stays. */
export const mergeSpans = <Found extends Span>(spans: readonly Found[]): Found[] => {
  const merged: Found[] = []
  for (const span of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1)
    if (!last || span.start >= last.end) merged.push(span)
    // The union, so that no part of either stays visible.
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end }
  }
  return merged
}

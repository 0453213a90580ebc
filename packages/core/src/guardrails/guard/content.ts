import type { Span } from '../rule.ts'

/**
 * All text of a value as one string: strings, names of fields and long numbers, one after the other. Each piece has a place in the
 * value, so that a found piece can be replaced.
 */
export type ContentText = { text: string; leaves: readonly Leaf[] }

/** `at` is null for the value itself. */
type Leaf = { start: number; end: number; at: Place | null; isName: boolean }
/** A field or an element. A path as a list would be copied for each, which is quadratic in a deep value. */
type Place = { part: string; within: Place | null; depth: number }

// No check finds anything that contains it, because the text of a field never contains the character 0.
const separator = '\n\u0000\n'
/** People do not see it either, and it has the same length. */
const withoutSeparators = (text: string): string =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '\u0001') : text
/** A shorter number is neither a card nor a phone number. */
const minNumberDigits = 7

export const textOf = (content: unknown): ContentText => {
  if (typeof content === 'string') {
    return { text: withoutSeparators(content), leaves: [{ start: 0, end: content.length, at: null, isName: false }] }
  }
  const pieces: string[] = []
  const leaves: Leaf[] = []
  let length = 0
  const add = (piece: string, at: Place | null, isName: boolean): void => {
    leaves.push({ start: length, end: length + piece.length, at, isName })
    pieces.push(withoutSeparators(piece))
    length += piece.length + separator.length
  }
  // A stack in place of recursion: a value may be nested deeper than the stack of the process.
  const open: { value: unknown; at: Place | null }[] = [{ value: content, at: null }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, at } = next
    if (typeof value === 'string') add(value, at, false)
    else if (typeof value === 'number' && String(value).length >= minNumberDigits) add(String(value), at, false)
    else if (Array.isArray(value)) {
      for (let n = value.length - 1; n >= 0; n--) open.push({ value: value[n], at: placeIn(at, String(n)) })
    } else if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).map(([name, field]) => ({ name, value: field, at: placeIn(at, name) }))
      for (const { name, at: place } of fields) add(name, place, true)
      for (const field of fields.toReversed()) open.push(field)
    }
  }
  return { text: pieces.join(separator), leaves }
}

const placeIn = (within: Place | null, part: string): Place => ({ part, within, depth: (within?.depth ?? 0) + 1 })

export type TokenSpan = Span & { token: string }

/** A copy of the value in which the found pieces are tokens. A piece that lies across fields is replaced in each. */
export const redactContent = (
  content: unknown,
  { leaves }: ContentText,
  replacements: readonly TokenSpan[],
): unknown => {
  // Both are in order, so each leaf begins its search where the one before it has ended.
  let first = 0
  const changed = leaves.flatMap((leaf) => {
    while ((replacements[first]?.end ?? Number.POSITIVE_INFINITY) <= leaf.start) first++
    let last = first
    while ((replacements[last]?.start ?? Number.POSITIVE_INFINITY) < leaf.end) last++
    return last === first ? [] : [{ leaf, inside: replacements.slice(first, last) }]
  })
  const isWhole = typeof content === 'string' || typeof content === 'number'
  if (isWhole) return replacements.length === 0 ? content : redactText(String(content), replacements)
  const copy: unknown = structuredClone(content)
  // Names last: a renamed field would no longer be found by its path, and the deepest first for the same reason.
  const order = changed.toSorted((one, other) =>
    one.leaf.isName === other.leaf.isName
      ? (other.leaf.at?.depth ?? 0) - (one.leaf.at?.depth ?? 0)
      : Number(one.leaf.isName) - Number(other.leaf.isName),
  )
  for (const { leaf, inside } of order) {
    if (leaf.at === null) continue
    const { part, within } = leaf.at
    const fields = fieldsOf(valueAt(copy, within))
    const was = leaf.isName ? part : String(fields[part])
    const clipped = inside.map(({ start, end, ...rest }) => ({
      ...rest,
      start: Math.max(0, start - leaf.start),
      end: Math.min(was.length, end - leaf.start),
    }))
    const redacted = redactText(was, clipped)
    if (leaf.isName) rename(fields, was, redacted)
    else fields[part] = redacted
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

const valueAt = (value: unknown, place: Place | null): unknown => {
  const parts: string[] = []
  for (let at = place; at; at = at.within) parts.push(at.part)
  return parts.reduceRight<unknown>((within, part) => fieldsOf(within)[part], value)
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

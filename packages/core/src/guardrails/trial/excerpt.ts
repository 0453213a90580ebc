import type { Span } from '../rule.ts'

const charsAround = 40

/** Between the fields of a value. */
const separator = '\n\u0000\n'

/**
 * A short piece of a text around what was found, from the same field. Everything that any rule has found is masked. Without a found
 * piece, it is the beginning of the text. `found` has all pieces, in order and without overlap.
 */
export const excerptOf = (text: string, found: readonly Span[], of: Span | null): string => {
  if (!of) return readable(shortened(masked(text, found, { from: 0, to: 4 * charsAround }), 2 * charsAround, text))
  const before =
    masked(text, found, { from: wideBefore(found, of.start), to: of.start })
      .split(separator)
      .at(-1) ?? ''
  const begin = before.length > charsAround ? `…${before.slice(-charsAround)}` : before
  const after = masked(text, found, { from: of.end, to: of.end + 4 * charsAround }).split(separator)[0] ?? ''
  return readable(`${begin}[${of.kind}]${shortened(after, charsAround)}`)
}

const shortened = (text: string, chars: number, whole = text): string =>
  text.length > chars || whole.length > 4 * charsAround ? `${text.slice(0, chars)}…` : text

/** A found piece is masked as a whole, so the range is as wide as the pieces that it touches. */
const wideBefore = (found: readonly Span[], start: number): number => {
  const from = Math.max(0, start - 2 * charsAround)
  return Math.min(from, ...found.flatMap((span) => (span.start < from && span.end > from ? [span.start] : [])))
}

const masked = (text: string, found: readonly Span[], { from, to }: { from: number; to: number }): string => {
  let out = ''
  let at = from
  for (const span of found) {
    if (span.end <= at || span.start >= to) continue
    if (span.start > at) out += text.slice(at, span.start)
    out += `[${span.kind}]`
    at = Math.max(at, span.end)
  }
  return at < to ? out + text.slice(at, to) : out
}

/** Postgres splits no JSON that holds a NUL or half a character. */
const readable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').toWellFormed()

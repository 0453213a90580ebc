import { maxSpans, type Span } from '../rule.ts'

/** Where something was found: UTF-16 positions, the end not included. */
export type Piece = { start: number; end: number }

/** Finds pieces in order of their start. They do not overlap. */
export type Finder = (text: string) => Piece[]

/** The letters, digits and the underscore of ASCII, which would make a piece part of a longer word. */
export const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95

export const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

/**
 * Looks at every place where `candidate` (flag `g`) matches. A piece begins there, or with the group `lead` before it. `accept` answers
 * its end, or null. After a null the search goes on one character later, because the true piece may begin inside of the candidate.
 */
export const findEach = (
  text: string,
  candidate: RegExp,
  accept: (start: number, match: string) => number | null,
): Piece[] => {
  const pieces: Piece[] = []
  candidate.lastIndex = 0
  for (let match = candidate.exec(text); match && pieces.length < maxSpans; match = candidate.exec(text)) {
    const start = match.index - (match.groups?.lead?.length ?? 0)
    const end = accept(start, match[0])
    if (end === null) candidate.lastIndex = match.index + 1
    else {
      pieces.push({ start, end })
      candidate.lastIndex = end
    }
  }
  return pieces
}

/** The first lists win where pieces overlap. At most `maxSpans` remain. */
export const mergeByRank = (lists: readonly (readonly Span[])[]): Span[] => {
  const found = lists.filter((list) => list.length > 0)
  if (found.length === 0) return []
  if (found.length === 1) return [...(found[0] ?? [])].slice(0, maxSpans)
  const ranked = found.flatMap((list, rank) => list.map((span) => ({ span, rank })))
  ranked.sort((a, b) => a.span.start - b.span.start || a.rank - b.rank)
  const kept: typeof ranked = []
  for (const next of ranked) {
    const last = kept.at(-1)
    if (!last || next.span.start >= last.span.end) kept.push(next)
    else if (next.rank < last.rank) kept[kept.length - 1] = next
  }
  return kept.slice(0, maxSpans).map(({ span }) => span)
}

import { guardrailsBounds } from '../bounds.ts'
import { maxSpans, type Span, type SpanCheck } from '../rule.ts'
import { onReadings } from './reading.ts'

/** A pattern of a customer, matched in linear time. */
export type SpanPattern = {
  test(text: string): boolean
  /** Answers the first match at or after a position of this text. */
  finderIn(text: string): (from: number) => { start: number; end: number } | null
}

/** After this many matches that are too long, a long match counts up to the maximum length. */
const maxLongMatches = guardrailsBounds.longMatches.count

/**
 * A match has at most `max_match_chars` characters, so that a stream has to hold back no more. A longer one is tried again within its
 * first characters. The text is searched in views of a few matches: where is asked only in views that have one, and a long match costs
 * one view and not the whole text.
 */
export const createPatternCheck = (pattern: SpanPattern, maxMatchChars: number, isAnchored: boolean): SpanCheck => {
  const find = (text: string): Span[] => {
    if (!pattern.test(text)) return []
    const spans: Span[] = []
    let long = 0
    let from = 0
    const endOfMatch = (start: number, end: number): number => {
      if (end - start <= maxMatchChars) return end
      const short = pattern.finderIn(text.slice(start, start + maxMatchChars))(0)
      if (short?.start === 0 && short.end > 0) return start + short.end
      return ++long > maxLongMatches ? start + maxMatchChars : start
    }
    while (from < text.length && spans.length < maxSpans) {
      // The two characters before tell where a word begins.
      const base = isAnchored ? 0 : Math.max(0, from - 2)
      const view = isAnchored ? text : text.slice(base, from + viewMatches * maxMatchChars)
      // A match that begins before this place is whole in the view, with the character after it.
      const until = base + view.length === text.length ? text.length : base + view.length - maxMatchChars - 2
      const next = pattern.test(view) ? pattern.finderIn(view) : null
      while (next && from < until && spans.length < maxSpans) {
        const match = next(from - base)
        if (!match || match.start + base >= until) break
        const start = match.start + base
        const end = endOfMatch(start, match.end + base)
        if (end > start) spans.push({ start, end, kind: 'PATTERN' })
        from = Math.max(end, start + 1)
      }
      from = Math.max(from, until)
    }
    return spans
  }
  return {
    windowChars: patternWindowChars(maxMatchChars, isAnchored),
    reason: 'It matches a forbidden pattern',
    find: onReadings(find, { spacesMatter: true }),
  }
}

const viewMatches = 4

/** Whether `^` or `$` stands outside of a class. */
export const hasAnchor = (source: string): boolean =>
  /[$^]/.test(source.replaceAll(/\\./gs, '').replaceAll(/\[[^\]]*\]/g, ''))

/** What `^` and `$` mean is known with the whole text only. */
export const patternWindowChars = (maxMatchChars: number, isAnchored: boolean): number =>
  isAnchored ? Number.POSITIVE_INFINITY : maxMatchChars + 2

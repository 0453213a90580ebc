import { maxSpans, type Span, type SpanCheck } from '../rule.ts'
import { isWordEdge } from './folding.ts'
import { asSeen, onReadings } from './reading.ts'
import { buildWordAutomaton } from './word-automaton.ts'

/** Upper and lower case are the same. Where words overlap, the one that begins first counts, and of two the longer one. */
export const createKeywordCheck = (params: { words: readonly string[]; whole_words: boolean }): SpanCheck => {
  const words = params.words.map(asSeen)
  const automaton = buildWordAutomaton(words, 'fold')
  const edges = words.map((word) => ({ first: startsInWord(word), last: startsInWord([...word].at(-1) ?? '') }))

  const find = (text: string): Span[] => {
    const found: { start: number; end: number }[] = []
    automaton.scan(text, (end, length, index) => {
      const start = end - length
      if (params.whole_words) {
        const edge = edges[index]
        if (edge?.last && !isWordEdge(text, end)) return false
        if (edge?.first && !isWordEdge(text, start)) return false
      }
      // The longest word that ends here takes the place of those that it covers, unless one that begins earlier covers it in part.
      let kept = found.length
      while (kept > 0 && (found[kept - 1]?.start ?? -1) >= start) kept--
      if (kept === 0 || (found[kept - 1]?.end ?? 0) <= start) {
        found.length = kept
        found.push({ start, end })
      }
      return true
    })
    return found.slice(0, maxSpans).map(({ start, end }) => ({ start, end, kind: 'KEYWORD' }))
  }
  return {
    windowChars: keywordWindowChars(words),
    reason: 'It contains a word of the list',
    find: onReadings(find),
  }
}

const startsInWord = (text: string): boolean => /^[\p{L}\p{N}\p{M}_]/u.test(text)

export const keywordWindowChars = (words: readonly string[]): number =>
  Math.max(...words.map(({ length }) => length)) + 4

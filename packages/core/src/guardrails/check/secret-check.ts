import { maxSpans, type Span, type SpanCheck } from '../rule.ts'
import { isWordCode, type Piece } from './piece.ts'
import { onReadings } from './reading.ts'
import { maxSecretChars, secretRules } from './secret-rules.ts'
import { buildWordAutomaton } from './word-automaton.ts'

/** A longer secret is recognised by this many characters; the rest is found as long as its beginning is in view. */
const recognisedChars = 448

const prefixes = secretRules.flatMap(({ prefixes, rest, check }) => {
  const pattern = new RegExp(`${rest}`, 'y')
  return prefixes.map((prefix) => ({ prefix, pattern, check }))
})
const automaton = buildWordAutomaton(
  prefixes.map(({ prefix }) => prefix),
  'exact',
)
const blockEnd = /-----END [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----/

/** Keys and tokens that say by their form what they are. */
export const createSecretCheck = (): SpanCheck => ({
  windowChars: recognisedChars + 2,
  reason: 'It contains a key or another secret',
  find: onReadings(find),
})

/** Every secret has this many characters without a space. Few words have. */
const minSolidChars = 20
/** What can stand before them with spaces is shorter: the name of a setting, or the first line of a key block. */
const leadChars = 64

const find = (text: string): Span[] => {
  const spans: Span[] = []
  let scanned = 0
  let place = minSolidChars - 1
  while (place < text.length) {
    // From the last of 20 characters back: a space between them rules out everything before it.
    const first = place - minSolidChars + 1
    let back = place
    while (back >= first && !isSpace(text.charCodeAt(back))) back--
    if (back >= first) place = back + minSolidChars
    else {
      let end = place + 1
      while (end < text.length && !isSpace(text.charCodeAt(end))) end++
      findWithin(text, { start: Math.max(scanned, first - leadChars), end }, spans)
      scanned = end
      place = end + minSolidChars
    }
  }
  return spans
}

const isSpace = (code: number): boolean => code <= 32 || code === 0xa0

const findWithin = (text: string, part: Piece, spans: Span[]): void => {
  const isMatch = (end: number, length: number, index: number): boolean => {
    const start = end - length
    const last = spans.at(-1)
    if (spans.length >= maxSpans || (last && start < last.end)) return false
    const rule = prefixes[index]
    // A prefix within a word is a piece of something else.
    if (!rule || isWordCode(text.charCodeAt(start - 1))) return false
    rule.pattern.lastIndex = end
    const rest = rule.pattern.exec(text)?.[0]
    if (rest === undefined) return false
    const until = endOf(text, start, end + rest.length)
    const isCut = until - start < maxSecretChars && isWordCode(text.charCodeAt(until))
    if (isCut || (rule.check && !rule.check(text.slice(start, until)))) return false
    spans.push({ start, end: until, kind: 'SECRET' })
    return true
  }
  automaton.scan(text, isMatch, part)
}

/** A block of a key ends with its last line. */
const endOf = (text: string, start: number, until: number): number => {
  if (text[start] !== '-') return until
  const last = blockEnd.exec(text.slice(start, until + 64))
  return last ? start + last.index + last[0].length : until
}

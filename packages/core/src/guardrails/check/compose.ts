import { guardrailsBounds } from '../bounds.ts'
import { characterClass, classOf } from './character.ts'
import { createRewriter, type TextReading } from './rewriter.ts'

/** Whether letters have marks, and whether one of them has more than people write. */
export type Marks = 'none' | 'few' | 'many'

/** Marks of one letter that are brought into order. The cost is the square of their number, so Unicode has the same bound for streams. */
export const maxMarks = guardrailsBounds.marksOfLetter.count

/** The form NFC: a letter and its mark become one character where there is one. */
export const compose = (reading: TextReading, marks: Marks): TextReading => {
  const { text, places } = reading
  if (marks === 'none') return reading
  if (marks === 'few' && !mayExclude.test(text) && text.normalize('NFC') === text) return reading
  const out = createRewriter(text.length)
  const startOf = (unit: number): number => (places ? (places.starts[unit] ?? 0) : unit)
  const endOf = (unit: number): number => (places ? (places.ends[unit] ?? 0) : unit + 1)
  for (let place = 0; place < text.length; ) {
    let end = place + pointUnits(text, place)
    for (let count = 0; count < maxMarks && isMark(text, end); count++) end += pointUnits(text, end)
    const part = text.slice(place, end)
    const composed = end - place === 1 ? part : composedOf(part)
    if (composed === part)
      for (let unit = place; unit < end; unit++) out.add(text.charCodeAt(unit), startOf(unit), endOf(unit))
    else
      for (let unit = 0; unit < composed.length; unit++)
        out.add(composed.charCodeAt(unit), startOf(place), endOf(end - 1))
    place = end
  }
  return out.done()
}

const isMark = (text: string, place: number): boolean =>
  place < text.length && classOf(text.codePointAt(place) ?? 0) === characterClass.mark

const pointUnits = (text: string, place: number): number => ((text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1)

const known = new Map<string, string>()
const maxKnown = guardrailsBounds.lettersKnown.count

const composedOf = (part: string): string => {
  const found = known.get(part)
  if (found !== undefined) return found
  const normal = part.normalize('NFC')
  const composed = withLetter(normal, 3) ?? withLetter(normal, 2) ?? normal
  // No text becomes longer, so that a rewriter has room for it.
  const answer = composed.length <= part.length ? composed : part
  if (part.length > 8) return answer
  if (known.size >= maxKnown) known.clear()
  known.set(part, answer)
  return answer
}

/** The first characters as one letter that NFC takes apart. */
const withLetter = (normal: string, units: number): string | undefined => {
  const letter = excluded.get(normal.slice(0, units))
  return letter && letter + normal.slice(units)
}

// Letters that NFC takes apart, such as some of Hindi, Tibetan and Hebrew. Keyboards write both forms, so here they are whole.
const excluded = new Map(
  [
    ...'\u0958\u0959\u095a\u095b\u095c\u095d\u095e\u095f\u09dc\u09dd\u09df\u0a33\u0a36\u0a59\u0a5a\u0a5b\u0a5e\u0b5c\u0b5d\u0f43\u0f4d\u0f52\u0f57\u0f5c\u0f69\ufb1d\ufb1f\ufb2a\ufb2b\ufb2c\ufb2d\ufb2e\ufb2f\ufb30\ufb31\ufb32\ufb33\ufb34\ufb35\ufb36\ufb38\ufb39\ufb3a\ufb3b\ufb3c\ufb3e\ufb40\ufb41\ufb43\ufb44\ufb46\ufb47\ufb48\ufb49\ufb4a\ufb4b\ufb4c\ufb4d\ufb4e',
  ].map((letter) => [letter.normalize('NFC'), letter] as const),
)
/** The marks of these letters. */
const mayExclude = /[\u093c\u09bc\u0a3c\u0b3c\u0fb5\u0fb7\u05b4\u05b7-\u05b9\u05bc\u05bf\u05c1\u05c2]/

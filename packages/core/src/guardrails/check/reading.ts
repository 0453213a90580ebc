import { guardrailsBounds } from '../bounds.ts'
import { maxSpans, type Span } from '../rule.ts'
import { characterClass, classOf, readAs } from './character.ts'
import { compose, type Marks, maxMarks } from './compose.ts'
import { createRewriter, type TextReading } from './rewriter.ts'

/** `spelled`: as models read it, if that differs from what people see. `isDenser`: runs of spaces are all that people do not see. */
type Readings = { written: string; seen: TextReading; spelled: TextReading | null; isDenser: boolean }

/** Finds in the text as it is written, as people see it and as models read it. The positions are those of the given text. */
export const onReadings =
  (find: (text: string) => Span[], { spacesMatter = false } = {}) =>
  (text: string): Span[] => {
    const { seen, spelled, isDenser } = readingsOf(text)
    const read = [seen, spelled].filter((reading) => reading !== null)
    const isWrittenRead = seen.places === null || (isDenser && !spacesMatter)
    const lists = [
      ...read.map((reading) => placeSpans(find(reading.text), reading)),
      ...(isWrittenRead ? [] : [find(text)]),
    ].filter(({ length }) => length > 0)
    return seen.places === null && lists.length < 2 ? (lists[0] ?? []) : unite(lists.flat())
  }

/** A word of a list in the form that it has in the text that people see. */
export const asSeen = (word: string): string => readingsOf(word).seen.text

const placeSpans = (spans: Span[], { places }: TextReading): Span[] =>
  places === null
    ? spans
    : spans.map(({ start, end, kind }) => ({ start: places.starts[start] ?? 0, end: places.ends[end - 1] ?? 0, kind }))

/** No part of a piece that one reading shows stays visible. */
const unite = (spans: Span[]): Span[] => {
  const united: Span[] = []
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const before = united.at(-1)
    if (!before || span.start >= before.end) united.push({ ...span })
    else before.end = Math.max(before.end, span.end)
  }
  return united.slice(0, maxSpans)
}

/** Many checks judge one text, one after the other. */
let last: Readings = { written: '', seen: { text: '', places: null }, spelled: null, isDenser: false }
/** A longer text is not kept. */
const maxKeptChars = guardrailsBounds.readingKept.chars

const readingsOf = (text: string): Readings => {
  if (last.written === text) return last
  const readings = read(text)
  if (text.length <= maxKeptChars) last = readings
  return readings
}

const read = (written: string): Readings => {
  const { spaces, others, tags, marks } = survey(written)
  const rewritten = (spelling: 'spelled' | 'dropped') =>
    compose(spaces + others === 0 ? { text: written, places: null } : rewrite(written, spelling), marks)
  const seen = rewritten('dropped')
  const isDenser = others === 0 && marks === 'none'
  return { written, seen, spelled: tags === 0 ? null : rewritten('spelled'), isDenser }
}

const isSpacing = (found: number): boolean => found >= characterClass.space && found <= characterClass.lineEnd

/** Most texts are as people see them: one pass tells, and nothing is copied. */
const survey = (text: string): { spaces: number; others: number; tags: number; marks: Marks } => {
  let [spaces, others, tags, run, longestRun] = [0, 0, 0, 0, 0]
  let isSpaceBefore = false
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code > 32 && code < 127) {
      isSpaceBefore = false
      run = 0
      continue
    }
    const point = text.codePointAt(place) ?? code
    if (point > 0xffff) place++
    const found = classOf(point)
    if (found === characterClass.mark) longestRun = Math.max(longestRun, ++run)
    else if (found === characterClass.plain) {
      run = 0
      if (readAs(point) !== 0) others++
    } else if (isSpacing(found)) {
      run = 0
      if (isSpaceBefore || (found === characterClass.space && point !== 32)) spaces++
    } else {
      others++
      if (found === characterClass.tag) tags++
    }
    if (found === characterClass.plain || isSpacing(found)) isSpaceBefore = found !== characterClass.plain
  }
  const marks = longestRun > maxMarks ? 'many' : 'few'
  return { spaces, others, tags, marks: longestRun === 0 ? 'none' : marks }
}

const rewrite = (text: string, tags: 'spelled' | 'dropped'): TextReading => {
  const out = createRewriter(text.length)
  /** The class of the run of spaces that goes on. 0: none. */
  let space = 0
  for (let place = 0; place < text.length; ) {
    const point = text.codePointAt(place) ?? 0
    const end = place + (point > 0xffff ? 2 : 1)
    const found = classOf(point)
    if (isSpacing(found)) {
      // A run of spaces is one of them: the end of a line before a tab before a space.
      if (space === 0) out.add(spaceCode(found), place, end)
      else out.extend(spaceCode(Math.max(space, found)), end)
      space = Math.max(space, found)
    } else if (found !== characterClass.dropped && !(found === characterClass.tag && tags === 'dropped')) {
      space = 0
      const other = found === characterClass.tag ? point - 0xe0000 : readAs(point)
      if (other > 0xffff) for (const unit of unitsOf(other)) out.add(unit, place, end)
      else if (other !== 0) out.add(other, place, end)
      else for (let unit = place; unit < end; unit++) out.add(text.charCodeAt(unit), unit, unit + 1)
    }
    place = end
  }
  return out.done()
}

const unitsOf = (point: number): readonly number[] => {
  const pair = String.fromCodePoint(point)
  return [pair.charCodeAt(0), pair.charCodeAt(1)]
}

const spaceCode = (found: number): number => {
  if (found === characterClass.lineEnd) return 10
  return found === characterClass.tab ? 9 : 32
}

import { guardrailsBounds } from '../bounds.ts'
import { nationalIds } from './national-id-rules.ts'
import { type Finder, findEach } from './piece.ts'

const contextChars = 40
/** 15 digits with separators, and the word before. */
export const maxNationalIdChars = guardrailsBounds.nationalId.chars

const shapes = nationalIds.map(({ shape, check, context }) => ({
  shape: new RegExp(`(?:${shape})(?![\\w]|[.,\\-/]\\d)`, 'iy'),
  check,
  context,
}))
// How the shapes begin; each rule matches again. They look for digits, because few characters of a text are digits, and only then at
// the letters before them.
const candidates: readonly RegExp[] = [
  /(?!(?:19|20)\d\d[-./][01]\d[-./][0-3]\d(?!\d))\d(?<!\w\d|\d[.,\-/]\d)(?:\d{5,7}[-+a-fu-y]?\d{3}|\d{2}[-. ]\d{2,3}[-. ]\d{3}|[ .]?\d{2}[ .]?\d{2,3}[ .]?\d[\dab]|\d[ .]\d{2,3}[ .]\d{2,3}|\d{7}-?[a-z]|\d{3}[-. ]\d{2,4}[-. ]\d)/gi,
  /\d\d(?<=(?<!\w)(?<lead>[a-z]{2} ?|[a-z]{6})\d\d)(?: ?\d\d|[a-z]\d)/gi,
  /\d{7}(?<=(?<!\w)(?<lead>[xyz]-?)\d{7})/gi,
]

export const findNationalIds: Finder = (text) => {
  const pieces = candidates.flatMap((candidate) => findEach(text, candidate, (start) => endOfId(text, start)))
  if (pieces.length < 2) return pieces
  pieces.sort((a, b) => a.start - b.start)
  return pieces.filter(({ start }, index) => start >= (pieces[index - 1]?.end ?? 0))
}

const endOfId = (text: string, start: number): number | null => {
  for (const { shape, check, context } of shapes) {
    shape.lastIndex = start
    const match = shape.exec(text)?.[0]
    if (match === undefined || !check(match.replaceAll(/[ .\-/+]/g, '').toUpperCase(), match)) continue
    if (context && !context.test(text.slice(Math.max(0, start - contextChars), start))) continue
    return start + match.length
  }
  return null
}

import { guardrailsBounds } from '../bounds.ts'
import { type CharacterClass, characterClass, classOf } from './character.ts'

/** Characters that people do not see and that a stream nevertheless waits for, in one place. */
const maxUncounted = guardrailsBounds.unseenChars.chars

/**
 * The place from which on the text before `until` has this many characters that people see; a run of spaces is one. No character is cut
 * there from its marks.
 */
export const placeBefore = (text: string, until: number, chars: number): number => {
  const least = Math.max(0, until - chars - maxUncounted)
  let left = chars
  let isSpaceAfter = false
  let place = until
  while (place > least && (left > 0 || goesOnAt(text, place))) {
    const found = classAt(text, --place)
    const isSpace = found >= characterClass.space && found <= characterClass.lineEnd
    if (found === characterClass.plain || (isSpace && !isSpaceAfter)) left--
    if (found === characterClass.plain || isSpace) isSpaceAfter = isSpace
  }
  return place
}

const goesOnAt = (text: string, place: number): boolean => {
  if (place >= text.length) return false
  const found = classAt(text, place)
  return found === characterClass.mark || found === characterClass.dropped
}

/** The second half of a pair counts as nothing. */
const classAt = (text: string, place: number): CharacterClass => {
  const code = text.charCodeAt(place)
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff && (text.codePointAt(place - 1) ?? 0) > 0xffff
  return isSecondHalf ? characterClass.dropped : classOf(text.codePointAt(place) ?? 0)
}

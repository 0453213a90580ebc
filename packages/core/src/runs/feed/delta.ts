import { runsBounds } from '../bounds.ts'

/** Longer text is split into several deltas, so that a page of them stays small. */
export const maxDeltaChars = runsBounds.delta.chars

/**
 * The next delta of a text that arrives in chunks, and the rest of the text. Surrogate pairs are not split, because a
 * reader may decode each delta separately. `more` says that more text follows.
 */
export const takeDelta = (text: string, { more }: { more: boolean }): { delta: string; rest: string } => {
  const cut = Math.min(text.length, maxDeltaChars)
  const goesOn = more || cut < text.length
  const end = goesOn && isFirstHalf(text.charCodeAt(cut - 1)) ? cut - 1 : cut
  return { delta: text.slice(0, end), rest: text.slice(end) }
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

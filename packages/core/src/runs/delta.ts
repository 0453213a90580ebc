/** Longer text is cut into several deltas, so that a page of them stays small. */
export const deltaCharsMost = 16_384

/**
 * The next delta of a text that arrives in pieces, and what is left of the text. Two halves of one character stay
 * together: a reader that decodes each delta by itself would otherwise see neither. `more` says that the text goes on.
 */
export const takeDelta = (text: string, { more }: { more: boolean }): { delta: string; rest: string } => {
  const cut = Math.min(text.length, deltaCharsMost)
  const goesOn = more || cut < text.length
  const end = goesOn && isFirstHalf(text.charCodeAt(cut - 1)) ? cut - 1 : cut
  return { delta: text.slice(0, end), rest: text.slice(end) }
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

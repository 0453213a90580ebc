/** The same letter in lower case and in its plain form: full-width letters become ASCII, a tab and the end of a line become a space. */
export const foldCode = (code: number): number => {
  if (code < 128) {
    if (code >= 65 && code <= 90) return code + 32
    return code >= 9 && code <= 13 ? 32 : code
  }
  return table[code] || fold(code)
}

// Filled as characters are met; 128 KB, once in a process.
const table = new Uint16Array(65_536)

const fold = (code: number): number => {
  const plain = String.fromCharCode(code).normalize('NFKC').toLowerCase()
  const folded = plain.length === 1 ? plain.charCodeAt(0) : code
  table[code] = folded
  return folded
}

// Scripts that write no spaces between words: their letters end no word.
const wordPoint = /^[\p{L}\p{N}\p{M}_]$/u
const spacelessScript = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]$/u

const continuesWord = (point: number | undefined): boolean => {
  if (point === undefined) return false
  if (point < 128)
    return (point >= 48 && point <= 57) || (point >= 97 && point <= 122) || (point >= 65 && point <= 90) || point === 95
  const letter = String.fromCodePoint(point)
  return wordPoint.test(letter) && !spacelessScript.test(letter)
}

/** Whether a word ends or begins between the characters at `place - 1` and at `place`. */
export const isWordEdge = (text: string, place: number): boolean => {
  if (place <= 0 || place >= text.length) return true
  const before = text.charCodeAt(place - 1)
  const isPair = before >= 0xdc00 && before <= 0xdfff
  return !(continuesWord(text.codePointAt(place)) && continuesWord(isPair ? text.codePointAt(place - 2) : before))
}

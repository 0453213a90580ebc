import { guardrailsBounds } from '../bounds.ts'
import { passesLuhn } from './checksum.ts'
import { digitsOf, type Finder, findEach } from './piece.ts'

/** 19 digits, the separators between them, and the characters that decide around them. */
export const maxCardChars = guardrailsBounds.cardNumber.chars

const separator = '[ ./_\\-\\u00a0\\u2010-\\u2013]'
const candidate = new RegExp(
  `(?<![\\w]|\\d[.,])(?:\\d{13,19}|\\d{4}(${separator})\\d{4}\\1\\d{4}\\1\\d{4}\\1\\d{3}|\\d{4}(${separator})\\d{4}\\2\\d{4}\\2\\d{1,4}|\\d{4}(${separator})\\d{6}\\3\\d{4,5})(?![\\w]|[.,]\\d)`,
  'g',
)

// The first digits of each network and how many digits its numbers have (ISO/IEC 7812, ranges of the networks).
const networks =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:50|5[6-9]|6[37])\d{11,17}|220[0-4]\d{12})$/

export const findCards: Finder = (text) =>
  findEach(text, candidate, (start, match) => {
    // Three digits after the number may be its security code.
    const shorter = match.slice(0, -4)
    const found = [match, ...(match.length === 23 ? [shorter] : [])].find((written) => isCard(digitsOf(written)))
    return found === undefined ? null : start + found.length
  })

const isCard = (digits: string): boolean => networks.test(digits) && passesLuhn(digits) && !/^(\d)\1+$/.test(digits)

import { limits } from '@ars/contract'
import { peopleBounds } from './bounds.ts'

/** The form that is hashed: the same characters, whether the keyboard sends them composed or decomposed. */
export const normalisePassword = (password: string): string => password.normalize('NFC')

/** Why this password is not allowed, or null. The e-mail address is normalised; `isCommon` knows passwords in lower case. */
export const passwordRefusal = (
  password: string,
  email: string,
  isCommon: (password: string) => boolean,
): string | null => {
  const normal = normalisePassword(password)
  const letters = [...normal]
  if (letters.length < limits.passwordMinChars) return `A password has at least ${limits.passwordMinChars} characters`
  if (letters.length > limits.passwordMaxChars) return `A password has at most ${limits.passwordMaxChars} characters`
  if (!normal.isWellFormed()) return 'A password is made of whole characters'
  const plain = normal.toLowerCase().trim()
  if (plain === email) return 'A password is not the e-mail address'
  if (new Set(plain).size < differentLettersLeast || formsOf(plain).some(isCommon))
    return 'This password is too easy to guess'
  return null
}

const differentLettersLeast = 4

/**
 * The password, the word that it repeats, and the word between digits and signs: few common passwords have twelve characters,
 * and these are the usual ways to lengthen one.
 */
const formsOf = (plain: string): string[] => {
  const word = plain.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  const isDecorated = plain.length - word.length <= maxDecoration
  return [plain, repeatedIn(plain), ...(isDecorated ? [word, repeatedIn(word)] : [])]
}

// A longer row of digits may be random.
const maxDecoration = peopleBounds.decoration.count

/** `abcabc` → `abc`; a text that repeats nothing is returned as it is. */
const repeatedIn = (text: string): string => text.slice(0, (text + text).indexOf(text, 1))

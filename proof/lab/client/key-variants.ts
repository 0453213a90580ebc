import { crc32 } from 'node:zlib'
import type { Random } from '../random.ts'

/** What an attacker makes of the form of a key, which everybody may know: keys that look right. */
export type KeyVariants = {
  /** Like a real one but for one letter of its random part, with a true checksum. */
  wrongFirst(): string
  wrongLast(): string
  neverIssued(): string
  /** With a checksum that does not fit. */
  typo(): string
  /** One that works. */
  real(): string
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'ars_live_'
const randomLetters = 32
const checksumLetters = 6

export const keyVariants = (issued: readonly string[], random: Random): KeyVariants => {
  for (const key of issued) {
    const letters = lettersOf(key)
    if (withChecksum(letters) !== key) throw new Error('a real key has another form than the one that is tried here')
  }
  const turned = (at: number): string => {
    const letters = lettersOf(random.pick(issued))
    const other = random.pick([...alphabet].filter((letter) => letter !== letters[at]))
    return letters.slice(0, at) + other + letters.slice(at + 1)
  }
  const anyLetters = (): string => Array.from({ length: randomLetters }, () => random.pick([...alphabet])).join('')
  return {
    wrongFirst: () => withChecksum(turned(0)),
    wrongLast: () => withChecksum(turned(randomLetters - 1)),
    neverIssued: () => withChecksum(anyLetters()),
    typo: () => {
      const key = withChecksum(anyLetters())
      return key.slice(0, -1) + random.pick([...alphabet].filter((letter) => letter !== key.at(-1)))
    },
    real: () => random.pick(issued),
  }
}

const lettersOf = (key: string): string => key.slice(prefix.length, prefix.length + randomLetters)

const withChecksum = (letters: string): string => {
  const body = prefix + letters
  let rest = crc32(body)
  let checksum = ''
  for (let at = 0; at < checksumLetters; at++) {
    checksum = alphabet[rest % alphabet.length] + checksum
    rest = Math.floor(rest / alphabet.length)
  }
  return body + checksum
}

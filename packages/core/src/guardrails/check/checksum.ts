import { crc32 } from 'node:zlib'

/** Luhn (ISO/IEC 7812-1): cards, Swedish and Canadian numbers. */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let i = digits.length - 1, isDouble = false; i >= 0; i--, isDouble = !isDouble) {
    const value = (digits.charCodeAt(i) - 48) * (isDouble ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

/** The sum of each digit times its weight. */
export const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, place) => sum + weight * (digits.charCodeAt(place) - 48), 0)

// Tables of Verhoeff's code: products in the dihedral group D5, and the permutation of each place.
const products = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const permutations = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Verhoeff: Aadhaar. */
export const passesVerhoeff = (digits: string): boolean => {
  let state = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    state = Number(products[state]?.[Number(permutations[place % 8]?.[digit])])
  }
  return state === 0
}

/** ISO/IEC 7064 MOD 11,10: German tax numbers. */
export const passesMod1110 = (digits: string): boolean => {
  let product = 10
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === Number(digits.at(-1))
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The CRC-32 of a text in six letters, as GitHub, npm and our own keys end with it. */
export const crcLetters = (text: string): string => {
  let rest = crc32(text)
  let letters = ''
  for (let i = 0; i < 6; i++) {
    letters = base62[rest % 62] + letters
    rest = Math.floor(rest / 62)
  }
  return letters
}

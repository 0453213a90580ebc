/** A generator of numbers that a seed decides (mulberry32), for corpora that are the same everywhere. */
export type Dice = {
  /** From 0 to `count - 1`. */
  roll(count: number): number
  pick<T>(items: readonly T[]): T
  digits(count: number): string
  letters(count: number, alphabet: string): string
}

export const createDice = (seed: number): Dice => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const roll = (count: number): number => Math.floor(next() * count)
  const letters = (count: number, alphabet: string): string =>
    Array.from({ length: count }, () => alphabet[roll(alphabet.length)]).join('')
  return {
    roll,
    letters,
    digits: (count) => letters(count, '0123456789'),
    pick: (items) => items[roll(items.length)] as never,
  }
}

export const upperCase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const lowerCase = upperCase.toLowerCase()
export const alphanumeric = `0123456789${upperCase}${lowerCase}`
export const hex = '0123456789abcdef'

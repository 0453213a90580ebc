import { luhnEnd } from './corpus-people.fixture.ts'
import { type Dice, upperCase } from './corpus-random.fixture.ts'

const pad = (number: number, size = 2): string => String(number).padStart(size, '0')
const dayOf = (dice: Dice) => ({
  year: pad(dice.roll(100)),
  month: pad(1 + dice.roll(12)),
  day: pad(1 + dice.roll(28)),
})
const sumOf = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0)
/** Tries numbers until the maker finds a check digit for one: not every number has one. */
const until = <T>(make: () => T | null): T => {
  for (;;) {
    const made = make()
    if (made !== null) return made
  }
}

/** National ids of invented persons, with the word before them (and a bar) where a rule needs one. */
export const idMakers: readonly ((dice: Dice) => string)[] = [
  (dice) => `${pad(1 + dice.roll(665), 3)}-${pad(1 + dice.roll(99))}-${pad(1 + dice.roll(9_999), 4)}`,
  (dice) => `SSN |${pad(1 + dice.roll(665), 3)}${pad(1 + dice.roll(99))}${pad(1 + dice.roll(9_999), 4)}`,
  (dice) =>
    `${dice.pick(['AB', 'JG', 'CE', 'SR', 'TW'])} ${dice.digits(2)} ${dice.digits(2)} ${dice.digits(2)} ${dice.pick(['A', 'B', 'C', 'D'])}`,
  (dice) =>
    until(() => {
      const nine = `4${dice.digits(8)}`
      const check = 11 - (sumOf(nine, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
      return check === 10 ? null : `NHS |${nine.slice(0, 3)} ${nine.slice(3, 6)} ${nine.slice(6)}${check % 11}`
    }),
  (dice) => {
    const order = [...'0123456789'].map((digit) => ({ digit, at: dice.roll(1_000_000) })).sort((a, b) => a.at - b.at)
    const digits = order.map(({ digit }) => digit).filter((digit) => digit !== '0')
    const ten = digits.join('') + digits[4]
    let product = 10
    for (const digit of ten) product = (2 * ((Number(digit) + product) % 10 || 10)) % 11
    const id = `${ten}${(11 - product) % 10}`
    return dice.pick([id.replace(/(..)(...)(...)(...)/, '$1 $2 $3 $4'), `Steuer-ID |${id}`])
  },
  (dice) => {
    const { year, month } = dayOf(dice)
    const body = `${1 + dice.roll(2)}${year}${month}${pad(1 + dice.roll(95))}${pad(1 + dice.roll(900), 3)}${pad(1 + dice.roll(900), 3)}`
    const id = `${body}${pad(97 - Number(BigInt(body) % 97n))}`
    return dice.pick([id, id.replace(/(.)(..)(..)(..)(...)(...)(..)/, '$1 $2 $3 $4 $5 $6 $7')])
  },
  (dice) => {
    const number = 1 + dice.roll(99_999_999)
    return `${pad(number, 8)}${'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}`
  },
  (dice) => {
    const first = dice.roll(3)
    const seven = dice.digits(7)
    return `${'XYZ'[first]}${seven}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(`${first}${seven}`) % 23]}`
  },
  (dice) => {
    const { year, day } = dayOf(dice)
    const body = `${dice.letters(6, 'BCDFGLMNPRSTVZ')}${year}${dice.pick([...'ABCDEHLMPRST'])}${day}${dice.letters(1, upperCase)}${dice.digits(3)}`
    const odd = 'BAFHJNPRTVCESULDGIMOQKWZYX'
    const numberOf = (letter: string) => (/\d/.test(letter) ? Number(letter) : upperCase.indexOf(letter))
    const sum = [...body].reduce(
      (total, letter, place) =>
        total + (place % 2 === 1 ? numberOf(letter) : upperCase.indexOf(odd[numberOf(letter)] ?? '')),
      0,
    )
    return `${body}${upperCase[sum % 26]}`
  },
  (dice) =>
    until(() => {
      const eight = `1${dice.digits(7)}`
      const check = sumOf(eight, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
      return check === 10 ? null : `BSN |${eight}${check}`
    }),
  (dice) => {
    const nine = `${1 + dice.roll(9)}${dice.digits(8)}`
    const check = (digits: string) => {
      const rest =
        sumOf(
          digits,
          [...digits].map((_, place) => digits.length + 1 - place),
        ) % 11
      return rest < 2 ? 0 : 11 - rest
    }
    const ten = `${nine}${check(nine)}`
    return `${ten}${check(ten)}`.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')
  },
  (dice) => {
    const eleven = `${2 + dice.roll(8)}${dice.digits(10)}`
    const id = `${eleven}${verhoeffDigit(eleven)}`
    return dice.pick([id.replace(/(....)(....)(....)/, '$1 $2 $3'), `Aadhaar |${id}`])
  },
  (dice) => {
    const { year, month, day } = dayOf(dice)
    const id = luhnEnd(`${year}${month}${day}${dice.digits(3)}`)
    return `${dice.pick(['', '19'])}${id.slice(0, 6)}-${id.slice(6)}`
  },
  (dice) => {
    const { year, month, day } = dayOf(dice)
    const nine = `${year}${month}${day}${pad(1 + dice.roll(990), 3)}`
    const id = `${nine}${pad(97 - (Number(nine) % 97))}`
    return id.replace(/(..)(..)(..)(...)(..)/, '$1.$2.$3-$4.$5')
  },
]

/** The dihedral group computed instead of looked up: rotations 0 to 4, reflections 5 to 9. */
const verhoeffDigit = (digits: string): number => {
  const times = (a: number, b: number): number => {
    const turn = (a < 5 ? a + b : a - b + 10) % 5
    return a < 5 === b < 5 ? turn : 5 + turn
  }
  const base = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
  const permuted = (place: number, digit: number): number => {
    let value = digit
    for (let i = 0; i < place % 8; i++) value = base[value] ?? 0
    return value
  }
  const state = [...digits].reverse().reduce((c, digit, place) => times(c, permuted(place + 1, Number(digit))), 0)
  return Array.from({ length: 10 }, (_, digit) => digit).find((digit) => times(state, digit) === 0) ?? 0
}

import { type Dice, lowerCase, upperCase } from './corpus-random.fixture.ts'

/** Numbers and addresses of invented persons. The check digits are computed here by other code than the one that checks them. */
export const peopleMakers: Record<string, (dice: Dice) => string> = {
  email: (dice) => {
    const name = `${dice.letters(1 + dice.roll(8), lowerCase)}${dice.pick(['', '.', '_', '-', '+'])}${dice.letters(1 + dice.roll(8), lowerCase)}${dice.pick(['', dice.digits(2)])}`
    const host = `${dice.letters(2 + dice.roll(10), lowerCase)}.${dice.pick(['com', 'org', 'net', 'de', 'co.uk', 'io', 'fr', 'example', 'com.br', 'museum'])}`
    return dice.pick([`${name}@${host}`, `${name}@${host}`, `${name}@mail.${host}`, `${name}@${host}`.toUpperCase()])
  },
  phone: (dice) => {
    const area = dice.pick(['212', '415', '650', '312', '206', '617', '713', '305', '404', '702', '503', '512'])
    const exchange = `${2 + dice.roll(8)}${dice.digits(1)}${2 + dice.roll(8)}`
    const line = dice.digits(4)
    return dice.pick([
      () => `(${area}) ${exchange}-${line}`,
      () => `${area}-${exchange}-${line}`,
      () => `${area}.${exchange}.${line}`,
      () => `+1 ${area} ${exchange} ${line}`,
      () => `+1${area}${exchange}${line}`,
      () => `1-${area}-${exchange}-${line}`,
      () => `+44 7400 ${dice.digits(6)}`,
      () => `+49 17${dice.pick(['0', '1', '2', '3', '5'])} ${1 + dice.roll(9)}${dice.digits(6)}`,
      () => `+33 6 ${1 + dice.roll(8)}${dice.digits(1)} ${dice.digits(2)} ${dice.digits(2)} ${dice.digits(2)}`,
      () => `+91 9${dice.pick(['8', '9'])}${dice.digits(3)} ${dice.digits(5)}`,
      () => `+55 11 9${6 + dice.roll(3)}${dice.digits(3)}-${dice.digits(4)}`,
      () => `+34 6${dice.digits(2)} ${dice.digits(2)} ${dice.digits(2)} ${dice.digits(2)}`,
    ])()
  },
  card: (dice) => {
    const [prefix, length] = dice.pick([
      ['4', 16],
      ['51', 16],
      ['55', 16],
      ['2223', 16],
      ['37', 15],
      ['6011', 16],
      ['3530', 16],
      ['36', 14],
    ] as const)
    const digits = luhnEnd(prefix + dice.digits(length - 1 - prefix.length))
    if (length !== 16) return digits
    return dice.pick([digits, digits.replaceAll(/(\d{4})(?=\d)/g, '$1 '), digits.replaceAll(/(\d{4})(?=\d)/g, '$1-')])
  },
  iban: (dice) => {
    const bban = dice.pick([
      () => ['DE', dice.digits(18)],
      () => ['GB', dice.letters(4, upperCase) + dice.digits(14)],
      () => ['CH', dice.digits(17)],
      () => ['AT', dice.digits(16)],
      () => ['NL', `${dice.letters(4, upperCase)}0417164300`],
      () => ['IE', dice.letters(4, upperCase) + dice.digits(14)],
      () => ['SA', dice.digits(20)],
    ])() as [string, string]
    const [country, account] = bban
    const whole = `${country}${String(98n - remainder97(`${account}${country}00`)).padStart(2, '0')}${account}`
    return dice.pick([whole, whole.replaceAll(/(.{4})(?=.)/g, '$1 ')])
  },
  ip: (dice) => {
    const part = () => String(1 + dice.roll(254))
    const group = () => (1 + dice.roll(65_535)).toString(16)
    return dice.pick([
      () => `${dice.pick(['10', '192', '203', '8', '172', '93'])}.${part()}.${part()}.${part()}`,
      () => `2001:db8:${group()}::${group()}`,
      () => `2a00:${Array.from({ length: 7 }, group).join(':')}`,
      () => `fe80::${group()}:${group()}`,
    ])()
  },
}

export const luhnEnd = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + Math.floor(value / 10) + (value % 10)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/** Letters count from A = 10. */
const remainder97 = (text: string): bigint =>
  BigInt([...text].map((letter) => Number.parseInt(letter, 36).toString()).join('')) % 97n

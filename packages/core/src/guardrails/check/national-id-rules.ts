import { passesLuhn, passesMod1110, passesVerhoeff, weighted } from './checksum.ts'

export type NationalId = {
  name: string
  /** Source of a pattern for V8, without groups that nest repetitions. */
  shape: string
  /** Sees the number without separators, in capitals, and as it was written. */
  check(compact: string, written: string): boolean
  /** Words before the number without which it is not one: the shape and the check digit alone fit too many other numbers. */
  context?: RegExp
}

const isDay = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31
const two = (text: string, at: number): number => Number(text.slice(at, at + 2))

// 078-05-1120 and 219-09-9999 were printed in advertisements.
const isSsn = (id: string) =>
  /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(id) && !/^(?:078051120|219099999)$/.test(id)

const isSteuerId = (id: string): boolean => {
  const counts = new Map<string, number>()
  for (const digit of id.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  const repeated = [...counts.values()].filter((count) => count > 1)
  // Exactly one of the first ten digits is there two or three times.
  return id[0] !== '0' && repeated.length === 1 && (repeated[0] ?? 0) <= 3 && passesMod1110(id)
}

const isNhs = (id: string) => {
  const check = 11 - (weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
  return !/^(\d)\1+$/.test(id) && (check === 11 ? 0 : check) === Number(id[9])
}

const isNir = (id: string) => {
  const month = two(id, 3)
  const number = Number(id.slice(0, 13).replace('2A', '19').replace('2B', '18'))
  return (isDay(month, 1) || (month >= 20 && month <= 42) || month >= 50) && 97 - (number % 97) === Number(id.slice(13))
}

const dniLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'
const isDni = (id: string) => {
  const number = Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))))
  return number > 0 && dniLetters[number % 23] === id.at(-1)
}

const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const isCodiceFiscale = (id: string): boolean => {
  let sum = 0
  for (let i = 0; i < 15; i++) {
    const code = id.charCodeAt(i)
    const value = code < 65 ? code - 48 : code - 65
    sum += i % 2 === 0 ? (oddValues[value] ?? 0) : value
  }
  return sum % 26 === id.charCodeAt(15) - 65
}

const isBsn = (id: string) => Number(id) > 0 && weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0

const isCpf = (id: string) => {
  const first = ((weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10
  const second = ((weighted(id, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10
  return !/^(\d)\1+$/.test(id) && first === Number(id[9]) && second === Number(id[10])
}

const isPersonnummer = (id: string) => {
  const short = id.slice(-10)
  // A coordination number adds 60 to the day.
  return isDay(two(short, 2), two(short, 4) % 60) && passesLuhn(short)
}

const isBelgian = (id: string) => {
  const check = (number: string) => 97 - (Number(number) % 97) === Number(id.slice(9))
  return isDay(two(id, 2) % 20, two(id, 4)) && (check(id.slice(0, 9)) || check(`2${id.slice(0, 9)}`))
}

const isFinnish = (_: string, written: string) =>
  isDay(two(written, 2), two(written, 0)) &&
  '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(written.slice(0, 6) + written.slice(7, 10)) % 31] ===
    written.at(-1)?.toUpperCase()

const isAhv = (id: string) => (10 - (weighted(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(id[12])

const isPesel = (id: string) =>
  isDay(two(id, 2) % 20, two(id, 4)) &&
  (10 - (weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === Number(id[10])

const isNino = (id: string) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(id)
const isAadhaar = (id: string) => /^[2-9]/.test(id) && !/^(\d)\1+$/.test(id) && passesVerhoeff(id)

/** Numbers of persons, as the authorities describe them. */
export const nationalIds: readonly NationalId[] = [
  { name: 'FR NIR', shape: '[1-478] ?\\d\\d ?\\d\\d ?(?:\\d\\d|2[AB]) ?\\d{3} ?\\d{3} ?\\d\\d', check: isNir },
  { name: 'CH AHV', shape: '756\\.?\\d{4}\\.?\\d{4}\\.?\\d\\d', check: isAhv },
  {
    name: 'IT codice fiscale',
    shape: '[A-Z]{6}\\d\\d[ABCDEHLMPRST][\\dLMNP-V]{2}[A-Z][\\dLMNP-V]{3}[A-Z]',
    check: isCodiceFiscale,
  },
  { name: 'BE', shape: '\\d\\d\\.\\d\\d\\.\\d\\d-\\d{3}\\.\\d\\d', check: isBelgian },
  { name: 'BR CPF', shape: '\\d{3}\\.\\d{3}\\.\\d{3}-\\d\\d', check: isCpf },
  { name: 'BR CPF', shape: '\\d{11}', check: isCpf, context: /\bcpf\b/i },
  { name: 'US SSN', shape: '\\d{3}-\\d\\d-\\d{4}|\\d{3} \\d\\d \\d{4}', check: isSsn },
  { name: 'US SSN', shape: '\\d{9}', check: isSsn, context: /\bssn\b|social security/i },
  { name: 'SE personnummer', shape: '(?:19|20)?\\d{6}[-+]\\d{4}', check: isPersonnummer },
  { name: 'SE personnummer', shape: '(?:19|20)?\\d{10}', check: isPersonnummer, context: /personnummer|\bpnr\b/i },
  { name: 'FI', shape: '\\d{6}[-+A-FU-Y]\\d{3}[\\dA-FHJ-NPR-Y]', check: isFinnish },
  { name: 'UK NINO', shape: '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d\\d ?\\d\\d ?\\d\\d ?[A-D]', check: isNino },
  { name: 'UK NHS', shape: '\\d{3}[ -]?\\d{3}[ -]?\\d{4}', check: isNhs, context: /\bnhs\b/i },
  { name: 'DE Steuer-ID', shape: '\\d\\d \\d{3} \\d{3} \\d{3}', check: isSteuerId },
  { name: 'DE Steuer-ID', shape: '\\d{11}', check: isSteuerId, context: /steuer|idnr|\btax|\btin\b/i },
  { name: 'ES DNI', shape: '(?:\\d{8}|[XYZ]-?\\d{7})-?[A-Z]', check: isDni },
  { name: 'IN Aadhaar', shape: '\\d{4}[ -]\\d{4}[ -]\\d{4}(?![ -]\\d)', check: isAadhaar },
  { name: 'IN Aadhaar', shape: '\\d{12}', check: isAadhaar, context: /aadh?aa?r|uidai|आधार/i },
  {
    name: 'NL BSN',
    shape: '\\d{9}|\\d{3}[ .]\\d{3}[ .]\\d{3}|\\d{4}[ .]\\d\\d[ .]\\d{3}',
    check: isBsn,
    context: /\bbsn\b|burgerservice|sofi/i,
  },
  { name: 'PL PESEL', shape: '\\d{11}', check: isPesel, context: /pesel/i },
  {
    name: 'CA SIN',
    shape: '\\d{3}[- ]?\\d{3}[- ]?\\d{3}',
    check: passesLuhn,
    context: /\bsin\b|social insurance|\bnas\b/i,
  },
]

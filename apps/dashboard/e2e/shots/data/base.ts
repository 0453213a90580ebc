/** The moment at which all pictures are taken. */
export const now = Date.parse('2026-03-12T10:00:00.000Z')

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]

/** A time before `now`, such as `ago(3, 'minutes')`. Negative: after it. */
export const ago = (amount: number, unit: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' = 'minutes'): string =>
  new Date(now - amount * { ms: 1, seconds: second, minutes: minute, hours: hour, days: day }[unit]).toISOString()

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The same id for the same number in every run of the program. */
export const id = (prefix: string, number: number): string => {
  let [text, state] = [
    '',
    number * 2_654_435_761 + [...prefix].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
  ]
  for (let n = 0; n < 16; n++) {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0
    text += alphabet[state % 32]
  }
  return `${prefix}_01kkg${text.slice(0, 5)}${text}`.slice(0, prefix.length + 27)
}

export const ids = {
  organisation: id('org', 1),
  ada: id('usr', 1),
  grace: id('usr', 2),
  linus: id('usr', 3),
  mary: id('usr', 4),
  refunds: id('ag', 1),
  triage: id('ag', 2),
  invoices: id('ag', 3),
  meetings: id('ag', 4),
  notes: id('ag', 5),
  warehouse: id('ag', 6),
  contracts: id('ag', 7),
  shop: id('con', 1),
  helpDesk: id('con', 2),
  webKey: id('key', 1),
  nightKey: id('key', 2),
  billing: id('wh', 1),
  support: id('wh', 2),
  archive: id('wh', 3),
} as const

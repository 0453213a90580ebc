import { idMakers } from './corpus-ids.fixture.ts'
import { peopleMakers } from './corpus-people.fixture.ts'
import { alphanumeric, createDice, type Dice, hex, lowerCase, upperCase } from './corpus-random.fixture.ts'
import { secretMakers } from './corpus-secrets.fixture.ts'

/** A line of text and what is in it. `kind` null: nothing. */
export type LabelledLine = { text: string; kind: string | null; start: number; end: number }

export const corpusSeed = 20_261_117
const linesPerKind = 260
const linesOfNothing = 1_200

/** The same lines for the same seed: every kind equally often, and lines that only look as if. */
export const makeCorpus = (seed = corpusSeed): LabelledLine[] => {
  const dice = createDice(seed)
  const makers: [string, (dice: Dice, index: number) => string][] = [
    ...Object.entries(peopleMakers).map(([kind, make]) => [kind.toUpperCase(), make] as [string, typeof make]),
    ['NATIONAL_ID', (_, index) => (idMakers[index % idMakers.length] ?? (() => ''))(dice)],
    ['SECRET', (_, index) => (secretMakers[index % secretMakers.length] ?? (() => ''))(dice)],
  ]
  const labelled = makers.flatMap(([kind, make]) =>
    Array.from({ length: linesPerKind }, (_, index): LabelledLine => {
      const made = make(dice, index)
      const [before, after] = dice.pick(frames)
      const start = before.length + Math.max(0, made.indexOf('|'))
      const value = made.slice(made.indexOf('|') + 1)
      return { text: before + made.replace('|', '') + after, kind, start, end: start + value.length }
    }),
  )
  const nothing = Array.from({ length: linesOfNothing }, (_, index): LabelledLine => {
    const make = lookalikes[index % lookalikes.length]
    const [before, after] = dice.pick(frames)
    return { text: before + (make?.(dice) ?? '') + after, kind: null, start: 0, end: 0 }
  })
  return [...labelled, ...nothing]
}

const frames: readonly (readonly [string, string])[] = [
  ['', ''],
  ['Please use ', ' for this.'],
  ['The customer wrote: "', '" and asked for an answer by Friday.'],
  ['value=', '\n'],
  ['{"field":"', '"}'],
  ['Thanks! My details: ', ', as discussed on Monday.'],
  ['- ', '; see above'],
  ['In the log we saw (', ') twice in 24 hours.'],
  ['Hallo, hier sind die Daten: ', '. Viele Grüße'],
  ['1. ', ' — done'],
]

const vocabulary =
  'the a customer asked whether our plan includes support for large teams and how the invoice is paid while the report says that every model answers within two seconds on average'.split(
    ' ',
  )

/** What looks like one of the kinds and is none. */
const lookalikes: readonly ((dice: Dice) => string)[] = [
  (dice) => Array.from({ length: 12 }, () => dice.pick(vocabulary)).join(' '),
  (dice) => `${2000 + dice.roll(30)}-${10 + dice.roll(3)}-${10 + dice.roll(18)}`,
  (dice) =>
    `${10 + dice.roll(18)}.${10 + dice.roll(3)}.${2000 + dice.roll(30)} ${10 + dice.roll(13)}:${10 + dice.roll(49)}`,
  (dice) => `${2000 + dice.roll(30)}-11-17T${10 + dice.roll(13)}:30:00.${dice.digits(3)}Z`,
  (dice) => `order ${dice.digits(8)}`,
  (dice) => `invoice INV-${dice.digits(4)}-${dice.digits(6)}`,
  (dice) => `tracking 1Z${dice.letters(6, upperCase)}${dice.digits(10)}`,
  (dice) => `number ${1 + dice.roll(9)}${dice.digits(15)}`,
  (dice) => `id ${dice.digits(10)}`,
  (dice) =>
    `${dice.letters(8, hex)}-${dice.letters(4, hex)}-4${dice.letters(3, hex)}-a${dice.letters(3, hex)}-${dice.letters(12, hex)}`,
  (dice) => `commit ${dice.letters(40, hex)}`,
  (dice) => `sha256:${dice.letters(64, hex)}`,
  (dice) => `$${1 + dice.roll(9)},${dice.digits(3)}.${dice.digits(2)}`,
  (dice) => `${dice.roll(90)}.${dice.digits(6)}, -${dice.roll(180)}.${dice.digits(6)}`,
  (dice) => `version ${dice.roll(20)}.${dice.roll(20)}.${dice.roll(20)}.${dice.roll(200)}`,
  (dice) => `${dice.letters(6, lowerCase)}@${dice.roll(20)}.${dice.roll(20)}.${dice.roll(20)}`,
  (dice) => `@${dice.letters(8, lowerCase)} said so`,
  (dice) => `${dice.letters(6, lowerCase)}@${dice.letters(6, lowerCase)}`,
  (dice) => `4${dice.digits(3)} ${dice.digits(4)} ${dice.digits(4)}`,
  (dice) => `ISBN 978-${dice.digits(1)}-${dice.digits(2)}-${dice.digits(6)}-${dice.digits(1)}`,
  (dice) => `DE00 ${dice.digits(4)} ${dice.digits(4)} ${dice.digits(4)} ${dice.digits(4)} ${dice.digits(2)}`,
  (dice) => `${dice.letters(2, hex)}:${Array.from({ length: 5 }, () => dice.letters(2, hex)).join(':')}`,
  (dice) => `000-${dice.digits(2)}-${dice.digits(4)}`,
  (dice) => `${dice.letters(5, lowerCase)}::${dice.letters(7, lowerCase)}()`,
  (dice) => `ghp_${dice.letters(36, alphanumeric)}`,
  () => 'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  () => 'AKIAIOSFODNN7EXAMPLE',
  () => 'sk_live_your_key_here',
  (dice) => `eyJ${dice.letters(20, alphanumeric)}`,
  (dice) => `ars_live_${dice.letters(38, alphanumeric)}`,
  (dice) => `-----BEGIN CERTIFICATE-----\n${dice.letters(64, alphanumeric)}\n-----END CERTIFICATE-----`,
  (dice) => `call the function at 0x${dice.letters(8, hex)}`,
  (dice) => `1700${dice.digits(6)} and 1700${dice.digits(9)}`,
  (dice) => `https://example.com/${dice.letters(12, lowerCase)}?id=${dice.digits(6)}`,
  (dice) => `${dice.digits(3)} ${dice.digits(3)} people in ${1900 + dice.roll(100)}`,
  (dice) => `SKU ${dice.letters(3, upperCase)}-${dice.digits(5)}`,
]

import { expect, test } from 'vitest'
import { CommandError } from './exit-code.ts'
import { readMoment } from './moment.ts'

const now = Date.parse('2030-01-08T12:00:00Z')

test.each([
  ['30s', '2030-01-08T11:59:30.000Z'],
  ['10m', '2030-01-08T11:50:00.000Z'],
  ['2h', '2030-01-08T10:00:00.000Z'],
  ['7d', '2030-01-01T12:00:00.000Z'],
  ['1w', '2030-01-01T12:00:00.000Z'],
  ['2029-12-31T23:00:00+02:00', '2029-12-31T21:00:00.000Z'],
])('%s is %s', (given, expected) => {
  expect(readMoment(given, now)).toBe(expected)
})

test.each(['', 'yesterday', '2', '-2h', '2h30m', '2030-13-40', 'evt_1'])('%j is not a time', (given) => {
  expect(() => readMoment(given, now)).toThrow(CommandError)
})

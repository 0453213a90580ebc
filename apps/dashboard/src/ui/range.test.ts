import { expect, test } from 'vitest'
import { absoluteRange, absoluteTime, fromLocalInput, rangeChoice, toLocalInput } from './range.ts'

const now = Date.parse('2026-01-15T12:00:00Z')

test('a relative range becomes absolute when it is asked for', () => {
  expect(absoluteRange({ created_after: '-24h' }, now)).toEqual({ created_after: '2026-01-14T12:00:00.000Z' })
  expect(absoluteTime('-15m', now)).toBe('2026-01-15T11:45:00.000Z')
  expect(absoluteTime('-7d', now)).toBe('2026-01-08T12:00:00.000Z')
})

test('an absolute time stays, and anything else is dropped', () => {
  expect(absoluteTime('2026-01-01T00:00:00Z', now)).toBe('2026-01-01T00:00:00.000Z')
  expect(absoluteRange({ created_after: 'yesterday', created_before: '-h' }, now)).toEqual({})
})

test('the select shows the range of the address', () => {
  expect(rangeChoice({})).toBe('any')
  expect(rangeChoice({ created_after: '-1h' })).toBe('-1h')
  expect(rangeChoice({ created_after: '-1h', created_before: '2026-01-01T00:00:00Z' })).toBe('own')
  expect(rangeChoice({ created_after: '-3h' })).toBe('own')
})

test.each([true, false])('a time survives its input (UTC: %s)', (isUtc) => {
  const iso = '2026-03-29T01:30:00.000Z'
  expect(fromLocalInput(toLocalInput(iso, isUtc), isUtc)).toBe(iso)
  expect(fromLocalInput('', isUtc)).toBeUndefined()
  expect(toLocalInput('never', isUtc)).toBe('')
})

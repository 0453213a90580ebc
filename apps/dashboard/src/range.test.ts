import { expect, test } from 'vitest'
import { absoluteTime } from './range.ts'

test('a relative range becomes a time, a time stays, anything else is dropped', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')
  expect(absoluteTime('-24h', now)).toBe('2026-03-01T12:00:00.000Z')
  expect(absoluteTime('-15m', now)).toBe('2026-03-02T11:45:00.000Z')
  expect(absoluteTime('2026-01-01T00:00:00Z', now)).toBe('2026-01-01T00:00:00.000Z')
  expect(absoluteTime('yesterday-ish', now)).toBeUndefined()
  expect(absoluteTime(undefined, now)).toBeUndefined()
})

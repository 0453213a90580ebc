import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeScale } from './time-scale.ts'

test('a night of waiting takes as much room as a minute of it', () => {
  const scale = timeScale({ startMs: 0, endMs: 36_010_000 }, [{ startMs: 5_000, endMs: 36_005_000 }])
  expect(scale.at(5_000)).toBeCloseTo(0.47)
  expect(scale.at(36_005_000)).toBeCloseTo(0.53)
  expect(scale.at(36_010_000)).toBe(1)
  expect(scale.breaks).toHaveLength(1)
})

test('a short wait is drawn as long as it was', () => {
  const scale = timeScale({ startMs: 0, endMs: 10_000 }, [{ startMs: 1_000, endMs: 2_500 }])
  expect(scale.breaks).toEqual([])
  expect(scale.at(2_500)).toBeCloseTo(0.25)
})

const moment = fc.integer({ min: 0, max: 1_000_000 })
const spans = fc.array(
  fc.tuple(moment, moment).map(([one, other]) => ({ startMs: one, endMs: other })),
  { maxLength: 40 },
)

test('the scale never goes back, begins at 0 and ends at 1, whatever the waits are', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      spans,
      fc.array(moment, { minLength: 2 }),
      (endMs, idle, moments) => {
        const scale = timeScale({ startMs: 0, endMs }, idle)
        expect(scale.at(0)).toBe(0)
        expect(scale.at(endMs)).toBe(1)
        const places = moments.toSorted((one, other) => one - other).map(scale.at)
        for (const [n, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual((places[n - 1] ?? 0) - 1e-9)
          expect(place).toBeLessThanOrEqual(1)
        }
      },
    ),
  )
})

test('a place leads back to its moment', () => {
  const scale = timeScale({ startMs: 0, endMs: 100_000 }, [{ startMs: 10_000, endMs: 90_000 }])
  for (const ms of [0, 5_000, 10_000, 50_000, 95_000, 100_000]) expect(scale.timeAt(scale.at(ms))).toBeCloseTo(ms)
})

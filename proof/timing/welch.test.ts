import { expect, test } from 'vitest'
import { seededRandom } from '../lab/random.ts'
import { differenceOf, isSeen } from './welch.ts'

const random = seededRandom('welch')
/** Latencies as they are: a floor, some spread, and now and then somebody else's work. */
const samples = (count: number, floorMs: number): number[] =>
  Array.from({ length: count }, () => floorMs + random.next() + random.next() + (random.next() < 0.03 ? 50 : 0))

test('two halves of the same are not told apart', () => {
  const difference = differenceOf(samples(5_000, 1), samples(5_000, 1))
  expect(isSeen(difference)).toBe(false)
  expect(Math.abs(difference.medianMs)).toBeLessThan(0.05)
})

test('a tenth of a millisecond is seen through a spread of two, and its direction too', () => {
  const later = differenceOf(samples(5_000, 1), samples(5_000, 1.1))
  expect(isSeen(later)).toBe(true)
  expect(later.t).toBeGreaterThan(4.5)
  expect(later.medianMs).toBeCloseTo(0.1, 1)
  expect(differenceOf(samples(5_000, 1.1), samples(5_000, 1)).t).toBeLessThan(-4.5)
})

test('what could be seen shrinks with the number of samples', () => {
  const few = differenceOf(samples(500, 1), samples(500, 1)).visibleMs
  const many = differenceOf(samples(50_000, 1), samples(50_000, 1)).visibleMs
  expect(few / many).toBeCloseTo(10, 0)
})

test('t is the value of the textbook', () => {
  const { t } = differenceOf([3, 4, 5, 6], [1, 2, 3, 4, 41])
  // Without the 41: means 4.5 and 2.5, variances 5/3 and 5/3, four of each.
  expect(t).toBeCloseTo(-2 / Math.sqrt(5 / 6), 10)
})

test('a measurement without samples proves nothing', () => {
  expect(isSeen(differenceOf([], []))).toBe(true)
})

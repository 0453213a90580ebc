import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCounts, histogramOf, indexOf, middleOf, quantile, sizeOf } from './histogram.ts'

/** Numbers of [0, 1), the same in every run. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
const gauss = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const shapes: Record<string, (random: () => number) => number> = {
  uniform: (random) => 1 + random() * 60_000,
  'log-normal': (random) => Math.max(1, Math.exp(7 + 1.4 * gauss(random))),
  bimodal: (random) => (random() < 0.7 ? 180 + 20 * random() : 45_000 + 9_000 * random()),
  constant: () => 1_234,
}

const nearestRank = (sorted: readonly number[], q: number) => sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0

test.each(Object.entries(shapes))('quantiles of 100,000 latencies are within 1 percent: %s', (_, shape) => {
  const random = randomOf(20_261_117)
  const values = Array.from({ length: 100_000 }, () => shape(random))
  const sorted = values.toSorted((one, other) => one - other)
  const whole = histogramOf(values)
  const merged = addCounts(
    Array.from({ length: 100 }, (_part, n) => histogramOf(values.slice(n * 1_000, n * 1_000 + 1_000))),
  )
  expect(merged).toEqual(whole)
  for (const q of [0.5, 0.95, 0.99]) {
    const exact = nearestRank(sorted, q)
    expect(Math.abs((quantile(whole, q) ?? 0) - exact) / exact, `p${q * 100}`).toBeLessThanOrEqual(0.01)
  }
})

test('the value of an index is within 1 % of every time that falls into it', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e10, noNaN: true }), (ms) => {
      expect(Math.abs(middleOf(indexOf(ms)) - ms) / ms).toBeLessThanOrEqual(0.0100001)
    }),
  )
})

test('no values have no quantile, and times below a millisecond count as one', () => {
  expect(quantile({}, 0.5)).toBeNull()
  expect(quantile(histogramOf([0, 0.2, 1]), 0.99)).toBe(1)
  expect(sizeOf(histogramOf([0, 5, 5]))).toBe(3)
})

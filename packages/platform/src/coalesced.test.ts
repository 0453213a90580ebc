import { expect, onTestFinished, test } from 'vitest'
import { createCoalesced } from './coalesced.ts'

test('a flood of calls runs the work a few times, one after the other, and never misses the last call', async () => {
  let value = 0
  let underWay = 0
  const seen: number[] = []
  const coalesced = createCoalesced({
    work: async () => {
      expect(underWay++).toBe(0)
      const now = value
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.push(now)
      underWay--
    },
    everyMs: 20,
    onError: (error) => expect(error).toBe(undefined),
  })
  onTestFinished(coalesced.close)
  for (value = 1; value < 1_000; value++) {
    coalesced.call()
    if (value % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  coalesced.call()
  await expect.poll(() => seen.at(-1)).toBe(1_000)
  expect(seen.length).toBeLessThan(100)
})

test('work that fails is reported, and the next call runs it again', async () => {
  const errors: unknown[] = []
  let calls = 0
  const coalesced = createCoalesced({
    work: () => {
      if (calls++ === 0) throw new Error('first')
    },
    everyMs: 1,
    onError: (error) => errors.push(error),
  })
  onTestFinished(coalesced.close)
  coalesced.call()
  await expect.poll(() => errors.length).toBe(1)
  coalesced.call()
  await expect.poll(() => calls).toBe(2)
  expect(errors).toHaveLength(1)
})

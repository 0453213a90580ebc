import { expect, test, vi } from 'vitest'
import { createLane } from './lane.ts'

test('in the narrow way one goes after the other, also when one fails', async () => {
  const lane = createLane({ exclusiveMs: 2_000 })
  const seen: string[] = []
  const walk = (name: string, fails = false) =>
    lane.pass(async () => {
      seen.push(`${name} in`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} out`)
      if (fails) throw new Error(name)
    })
  await Promise.allSettled([walk('a'), walk('b', true), walk('c')])
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

test('who takes long is let out, so that the next does not wait for ever', async () => {
  vi.useFakeTimers()
  const lane = createLane({ exclusiveMs: 2_000 })
  let second = false
  void lane.pass(() => new Promise(() => undefined))
  const next = lane.pass(async () => {
    second = true
  })
  await vi.advanceTimersByTimeAsync(1_999)
  expect(second).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  await next
  expect(second).toBe(true)
  vi.useRealTimers()
})

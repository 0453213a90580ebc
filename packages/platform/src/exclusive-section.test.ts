import { expect, test, vi } from 'vitest'
import { createExclusiveSection } from './exclusive-section.ts'

test('tasks run one after the other, also after a failure', async () => {
  const section = createExclusiveSection({ exclusiveMs: 2_000 })
  const seen: string[] = []
  const walk = (name: string, fails = false) =>
    section.pass(async () => {
      seen.push(`${name} in`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name} out`)
      if (fails) throw new Error(name)
    })
  await Promise.allSettled([walk('a'), walk('b', true), walk('c')])
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

test('a task that takes too long no longer blocks the next', async () => {
  vi.useFakeTimers()
  const section = createExclusiveSection({ exclusiveMs: 2_000 })
  let second = false
  void section.pass(() => new Promise(() => undefined))
  const next = section.pass(async () => {
    second = true
  })
  await vi.advanceTimersByTimeAsync(1_999)
  expect(second).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  await next
  expect(second).toBe(true)
  vi.useRealTimers()
})

import { expect, test } from 'vitest'
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
  const section = createExclusiveSection({ exclusiveMs: 100 })
  let second = false
  void section.pass(() => new Promise(() => undefined))
  const next = section.pass(async () => {
    second = true
  })
  // Timers end in the order of their times, however late.
  expect(await new Promise((resolve) => setTimeout(() => resolve(second), 90))).toBe(false)
  await next
  expect(second).toBe(true)
})

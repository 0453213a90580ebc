import { expect, test } from 'vitest'
import type { BatchFigures } from './batch.ts'
import { readBackgroundOptions } from './options.ts'
import { reportOf, verdictsOf } from './report.ts'
import type { Stretch } from './traffic.ts'

const stretch = (tookMs: number, isGood = true): Stretch => {
  const samples = Array.from({ length: 100 }, () => ({ tookMs, isGood }))
  return { own: samples, other: samples, seconds: 10 }
}
const batch: BatchFigures = {
  quiet: stretch(100),
  beside: stretch(190),
  alonePerSecond: 60,
  besidePerSecond: 41,
  interactivePerSecond: 10,
  progress: { items: 1_000, completed: 1_000, failed: 0 },
  seconds: 30,
}
const options = readBackgroundOptions(['--quick'])
const broken = (change: Partial<BatchFigures>): string[] =>
  verdictsOf({ batch: { ...batch, ...change } }, options)
    .filter(({ holds }) => !holds)
    .map(({ says }) => says)

test('the limits of a batch are those of its promise', () => {
  expect(broken({})).toEqual([])
  expect(broken({ beside: stretch(201) })).toHaveLength(2)
  expect(broken({ besidePerSecond: 39 })).toEqual([expect.stringContaining('throughput')])
  expect(broken({ progress: { items: 1_000, completed: 999, failed: 1 } })).toHaveLength(1)
  expect(broken({ beside: stretch(100, false) })).toEqual([expect.stringContaining('complete')])
})

test('a fan-out is judged by its slowest statement and by the growth of its statements', () => {
  const figures = (callsPerItem: number, maxMs: number) => ({
    items: 10,
    seconds: 1,
    callsPerItem,
    msPerItem: 1,
    slowest: { text: 'select', maxMs },
  })
  const holds = (...fanOuts: ReturnType<typeof figures>[]) => verdictsOf({ fanOuts }, options).map((each) => each.holds)
  expect(holds(figures(5, 10), figures(5, 99))).toEqual([true, true])
  expect(holds(figures(5, 10), figures(6, 101))).toEqual([false, false])
  expect(reportOf(options, new Date(0), { fanOuts: [figures(5, 10)] })).toContain('| 10 ')
})

import { expect, test } from 'vitest'
import { longestEndStallMs, type RunRecord, runClaims } from './run-records.ts'
import { type Accepted, longestStallMs } from './traffic.ts'

const accepted = (n: number, atMs = n * 100): Accepted => ({
  key: `order-${n}`,
  runId: `run_${n}`,
  sentMs: atMs - 10,
  atMs,
})
const stored = (n: number, more: Partial<RunRecord> = {}): RunRecord => ({
  key: `order-${n}`,
  runId: `run_${n}`,
  status: 'completed',
  endedAt: new Date(n * 1000),
  ends: 1,
  ...more,
})

const violationsOf = (runs: readonly RunRecord[]): number[] =>
  runClaims([accepted(1), accepted(2)], runs).map(({ violations }) => violations.length)

test('runs that are stored once and completed break no claim', () => {
  expect(violationsOf([stored(1), stored(2)])).toEqual([0, 0])
})

test.for([
  ['an acknowledged run that the database does not know', [stored(1)], [1, 0]],
  ['one that did not end', [stored(1), stored(2, { status: 'not ended', ends: 0 })], [1, 0]],
  ['one that ended twice', [stored(1), stored(2, { ends: 2 })], [0, 1]],
  ['two runs for one key', [stored(1), stored(2), stored(3, { key: 'order-2' })], [0, 1]],
] as const)('%s breaks its claim', ([, runs, expected]) => {
  expect(violationsOf(runs)).toEqual(expected)
})

test('a stall is the longest time without an acknowledgement, also before the first and after the last', () => {
  const moments = [100, 200, 900, 1000].map((atMs, n) => accepted(n, atMs))
  expect(longestStallMs(moments, 150, 1050)).toBe(700)
  expect(longestStallMs(moments, 950, 3000)).toBe(2000)
  expect(longestStallMs([], 0, 500)).toBe(500)
})

test('a stall of ends is measured by the clock of the database', () => {
  expect(longestEndStallMs([stored(9), stored(2), stored(4)], new Date(1000), new Date(10_000))).toBe(5000)
})

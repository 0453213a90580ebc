import { expect, test } from 'vitest'
import { missingPartitions, oldPartitions, type Partition } from './partition.ts'

const today = 20_000
const day = (parent: string, firstDay: number, days = 1): Partition => ({ parent, firstDay, endDay: firstDay + days })
const days = (parent: string, from: number, until: number) =>
  Array.from({ length: until - from + 1 }, (_, at) => day(parent, from + at))

test('missing days are created with today first, for every table, up to two weeks ahead', () => {
  const missing = missingPartitions({ today, parents: ['runs', 'events'], partitions: [] }, 30)
  expect(missing.slice(0, 4)).toEqual([
    day('runs', today),
    day('events', today),
    day('runs', today - 1),
    day('events', today - 1),
  ])
  expect(missing).toHaveLength(32)
  expect(missing.at(-1)).toEqual(day('events', today + 14))
  const all = { today, parents: ['runs', 'events'], partitions: missing }
  expect(missingPartitions(all, 30)).toEqual([])
  expect(missingPartitions({ ...all, today: today + 1 }, 30)).toEqual([
    day('runs', today + 15),
    day('events', today + 15),
  ])
})

test('a gap is closed without touching the days around it', () => {
  const partitions = [...days('runs', today - 40, today - 1), ...days('runs', today + 3, today + 14)]
  expect(missingPartitions({ today, parents: ['runs'], partitions }, 30)).toEqual(days('runs', today, today + 2))
})

test('above 30 days of retention a new partition is a week, except for deltas', () => {
  const missing = missingPartitions({ today, parents: ['runs', 'run_deltas'], partitions: [] }, 31)
  expect(missing.filter(({ parent }) => parent === 'runs')).toEqual([
    day('runs', today - 1, 7),
    day('runs', today + 6, 7),
    day('runs', today + 13, 7),
  ])
  expect(missing.filter(({ parent }) => parent === 'run_deltas')).toHaveLength(16)
})

test('a changed retention time continues after the partitions that exist', () => {
  const partitions = days('runs', today - 1, today + 10)
  expect(missingPartitions({ today, parents: ['runs'], partitions }, 60)).toEqual([day('runs', today + 11, 7)])
  const weeks = [day('runs', today - 3, 7), day('runs', today + 6, 7)]
  expect(missingPartitions({ today, parents: ['runs'], partitions: weeks }, 60)).toEqual([
    day('runs', today + 4, 2),
    day('runs', today + 13, 7),
  ])
  expect(missingPartitions({ today, parents: ['runs'], partitions: weeks }, 30)).toEqual([
    day('runs', today + 4),
    day('runs', today + 5),
    ...days('runs', today + 13, today + 14),
  ])
})

test('a partition is old when its last moment is, and yesterday never is', () => {
  const partitions = [
    day('runs', today - 31),
    day('runs', today - 30),
    day('runs', today - 36, 7),
    ...days('run_deltas', today - 3, today),
  ]
  const nowMs = today * 86_400_000
  const old = (keep: { days: number; deltaHours: number }) =>
    oldPartitions({ today, parents: [], partitions }, { nowMs, ...keep })
  expect(old({ days: 30, deltaHours: 24 })).toEqual([
    day('runs', today - 31),
    day('run_deltas', today - 3),
    day('run_deltas', today - 2),
  ])
  expect(old({ days: 29, deltaHours: 1 })).toEqual([
    day('runs', today - 31),
    day('runs', today - 30),
    day('runs', today - 36, 7),
    day('run_deltas', today - 3),
    day('run_deltas', today - 2),
  ])
})

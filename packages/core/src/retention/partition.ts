import { retentionBounds } from './bounds.ts'

/** Days are counted from 1970-01-01 (UTC). `endDay` is the first day after the partition. */
export type Partition = { parent: string; firstDay: number; endDay: number }

export type Partitions = {
  today: number
  /** The partitioned tables. */
  parents: readonly string[]
  partitions: readonly Partition[]
}

/** The partitions of this table are days, and are dropped sooner than those of the other tables. */
const deltas = 'run_deltas'

/** Partitions are created two weeks ahead, so that a failure has time to be repaired. */
const daysAhead = 14
/** Above this, a partition is a week: every statement locks all partitions of its tables. */
const maxRetentionOfDays = retentionBounds.dailyPartitions.days
const weekDays = 7

/**
 * The partitions that are missing, those with today first. Yesterday is included, because ids from just before midnight
 * may arrive after it.
 */
export const missingPartitions = ({ today, parents, partitions }: Partitions, retentionDays: number): Partition[] =>
  parents
    .flatMap((parent) => {
      const longest = parent === deltas || retentionDays <= maxRetentionOfDays ? 1 : weekDays
      return missingOf(parent, { today, longest, existing: partitions.filter((each) => each.parent === parent) })
    })
    .sort((a, b) => daysBefore(a, today) - daysBefore(b, today) || a.firstDay - b.firstDay)

/** The partitions whose last row is older than the retention time. */
export const oldPartitions = (
  { today, partitions }: Partitions,
  keep: { nowMs: number; days: number; deltaHours: number },
): Partition[] =>
  partitions.filter(({ parent, endDay }) => {
    const keptMs = parent === deltas ? keep.deltaHours * hourMs : keep.days * dayMs
    return endDay < today && endDay * dayMs + keptMs <= keep.nowMs
  })

export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const missingOf = (
  parent: string,
  { today, longest, existing }: { today: number; longest: number; existing: readonly Partition[] },
): Partition[] => {
  const missing: Partition[] = []
  for (let day = today - 1; day <= today + daysAhead; ) {
    const there = existing.find(({ firstDay, endDay }) => firstDay <= day && day < endDay)
    const next = Math.min(...existing.map(({ firstDay }) => firstDay).filter((first) => first > day), day + longest)
    if (!there) missing.push({ parent, firstDay: day, endDay: next })
    day = there?.endDay ?? next
  }
  return missing
}

const daysBefore = ({ firstDay, endDay }: Partition, today: number): number =>
  firstDay <= today && today < endDay ? 0 : 1

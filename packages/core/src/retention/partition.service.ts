import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { DatabaseBusy } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import { retentionBounds } from './bounds.ts'
import { dateOf, missingPartitions, oldPartitions, type Partition } from './partition.ts'
import { dropPartition, listPartitions, makePartition } from './retention.store.ts'

type Deps = { system: Database; log: Log }

/** Creates the partitions that are missing, today first. Returns how many it created. */
export const createMissingPartitions = async (deps: Deps, retentionDays: number): Promise<number> => {
  const missing = missingPartitions(await listPartitions(deps.system), retentionDays)
  const made = await each(missing, (partition) => makePartition(deps.system, partition))
  if (made.length > 0) deps.log.info('partitions created', { made: made.length })
  return made.length
}

/** Drops the partitions that are older than the retention time, now or at the earlier time `until`. */
export const dropOldPartitions = async (
  deps: Deps,
  keep: { days: number; deltaHours: number; until?: Date },
): Promise<void> => {
  const partitions = await listPartitions(deps.system)
  const nowMs = Math.min(partitions.nowMs, keep.until?.getTime() ?? Number.POSITIVE_INFINITY)
  const old = oldPartitions(partitions, { ...keep, nowMs })
  await each(old, async (partition) => {
    const isDropped = await dropPartition(deps.system, partition)
    if (isDropped) deps.log.info('partition dropped', { parent: partition.parent, day: dateOf(partition.firstDay) })
    return isDropped
  })
}

/** The days of each table that have partitions; both dates are included. */
export const summarisePartitions = async (
  system: Database,
): Promise<{ table: string; count: number; from: string | null; until: string | null }[]> => {
  const { parents, partitions } = await listPartitions(system)
  return parents.map((table) => {
    const own = partitions.filter(({ parent }) => parent === table)
    const [first, last] = [own.at(0), own.at(-1)]
    return {
      table,
      count: own.length,
      from: first ? dateOf(first.firstDay) : null,
      until: last ? dateOf(last.endDay - 1) : null,
    }
  })
}

const dayMs = 86_400_000

/** For the metrics: until when every table has partitions, and the begin of the oldest day of runs. Null: there is none. */
export const readDays = async (system: Database): Promise<{ untilMs: number | null; oldestMs: number | null }> => {
  const { parents, partitions } = await listPartitions(system)
  const ends = parents.map((table) =>
    Math.max(0, ...partitions.flatMap((each) => (each.parent === table ? each.endDay : []))),
  )
  const oldest = partitions.find(({ parent }) => parent === 'runs')
  const until = Math.min(...ends)
  return { untilMs: until === 0 ? null : until * dayMs, oldestMs: oldest ? oldest.firstDay * dayMs : null }
}

const maxTries = retentionBounds.partitionTries.count
const maxPauseMs = retentionBounds.partitionPause.ms

/**
 * Works on each partition in its own transaction. A table that stays locked does not keep the others; at the end the
 * first failure is thrown, so that the sweep comes back soon.
 */
const each = async (
  partitions: readonly Partition[],
  work: (partition: Partition) => Promise<boolean>,
): Promise<Partition[]> => {
  const done: Partition[] = []
  const failures: unknown[] = []
  for (const partition of partitions) {
    const isDone = await whileBusy(() => work(partition)).catch((error: unknown) => {
      failures.push(error)
      return false
    })
    if (isDone) done.push(partition)
  }
  if (failures.length > 0) throw failures[0]
  return done
}

/** A lock that is not free soon is given up and tried again after a pause with jitter, so that nobody waits behind it for long. */
const whileBusy = async (work: () => Promise<boolean>): Promise<boolean> => {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || tries === maxTries) throw error
      await sleep((maxPauseMs * (1 + randomBytes(1).readUInt8() / 255)) / 2)
    }
  }
}

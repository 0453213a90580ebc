import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { createMissingPartitions, dropOldPartitions } from './partition.service.ts'

/** Creates partitions ahead of time. The first round is at the start of a worker, after any time that it was off. */
export const partitionSweep = (deps: { system: Database; log: Log; retentionDays: number }): Sweep => ({
  name: 'partitions',
  everyMs: 3_600_000,
  run: async () => {
    await createMissingPartitions(deps, deps.retentionDays)
  },
})

/** Drops whole partitions after the retention time. Deliveries of events that are about to go are ended first. */
export const retentionSweep = (deps: {
  system: Database
  log: Log
  keep: { days: number; deltaHours: number }
  endOldDeliveries(days: number): Promise<void>
  /** Runs that ended before this time are in the figures of usage. */
  countedUntil(): Promise<Date>
}): Sweep => ({
  name: 'retention',
  everyMs: 3_600_000,
  run: async () => {
    // A delivery that cannot be ended does not keep its day: its next attempt finds no event, and fails.
    await deps
      .endOldDeliveries(deps.keep.days)
      .catch((error: unknown) => deps.log.error('old deliveries could not be ended', { error }))
    // Runs that are not counted yet are kept: for them, time stands still.
    await dropOldPartitions(deps, { ...deps.keep, until: await deps.countedUntil() })
  },
})

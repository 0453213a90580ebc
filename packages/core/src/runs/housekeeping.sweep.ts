import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { deleteExpiredKeys, dropPartition, ensurePartitions, listOldPartitions } from './sweep.store.ts'

const partitionDaysAhead = 14
const keysPerRound = 1000

/** Partitions are made long before they are needed: one failed night costs nothing. */
export const partitionSweep = (deps: { system: Database; log: Log }): Sweep => ({
  name: 'partitions',
  everyMs: 3_600_000,
  run: async () => {
    const made = await ensurePartitions(deps.system, partitionDaysAhead)
    if (made > 0) deps.log.info('partitions made', { made })
  },
})

/** Small batches, so that no writer ever waits for the clean-up. */
export const expiredKeySweep = (deps: { system: Database }): Sweep => ({
  name: 'expired-keys',
  everyMs: 30_000,
  run: async () => {
    while ((await deleteExpiredKeys(deps.system, keysPerRound)) === keysPerRound);
  },
})

/** What is no longer kept goes by the day, as whole partitions. */
export const retentionSweep = (deps: {
  system: Database
  log: Log
  keep: { days: number; deltaHours: number }
}): Sweep => ({
  name: 'retention',
  everyMs: 3_600_000,
  run: async () => {
    for (const old of await listOldPartitions(deps.system, deps.keep)) {
      if (await dropPartition(deps.system, old)) deps.log.info('partition dropped', old)
    }
  },
})

import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { deleteExpiredKeys, dropPartition, ensurePartitions, listOldPartitions } from './retention.store.ts'

const partitionDaysAhead = 14
const keysPerRound = 1000

/** Creates partitions two weeks ahead, so that a failure has time to be repaired. */
export const partitionSweep = (deps: { system: Database; log: Log }): Sweep => ({
  name: 'partitions',
  everyMs: 3_600_000,
  run: async () => {
    const made = await ensurePartitions(deps.system, partitionDaysAhead)
    if (made > 0) deps.log.info('partitions created', { made })
  },
})

/** Deletes in small batches, so that writers do not wait. */
export const expiredKeySweep = (deps: { system: Database }): Sweep => ({
  name: 'expired-keys',
  everyMs: 30_000,
  run: async () => {
    while ((await deleteExpiredKeys(deps.system, keysPerRound)) === keysPerRound);
  },
})

/** Drops whole day partitions after the retention time. */
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

import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { countStorageOfDay, sumStorage } from './storage.store.ts'

const everyMs = 60_000
// Older days change little: a long run ends, data is erased, the day is dropped.
const recentDays = 2
const olderDayMs = 600_000

/**
 * Counts the bytes that each organisation stores. Runs record their bytes when they end, so no request waits for this
 * count. Each round counts the last two days and one older day.
 */
export const storageSweep = (deps: { system: Database; retentionDays: number }): Sweep => {
  let older = 0
  return {
    name: 'storage',
    everyMs,
    run: async () => {
      for (let daysAgo = 0; daysAgo < recentDays; daysAgo++) {
        await countStorageOfDay(deps.system, { daysAgo, notSinceMs: everyMs / 2 })
      }
      // A day is kept a little longer than the retention time; the count must see it go.
      const daysAgo = recentDays + (older++ % (deps.retentionDays + 10))
      await countStorageOfDay(deps.system, { daysAgo, notSinceMs: olderDayMs })
      await sumStorage(deps.system)
    },
  }
}

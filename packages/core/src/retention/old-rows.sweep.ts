import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { retentionBounds } from './bounds.ts'
import { deleteOldRows, oldRows } from './old-rows.store.ts'

type Deps = { system: Database; clock: Clock; log: Log; retentionDays: number }

/** In small pages, so that writers do not wait. */
const rowsPerPage = retentionBounds.oldRowsTogether.count

/** Deletes old rows of every table of `oldRows`, each at its interval. */
export const oldRowsSweep = ({ system, clock, log, retentionDays: days }: Deps): Sweep => {
  const nextMs = new Map<object, number>()
  return {
    name: 'old-rows',
    everyMs: 30_000,
    run: async () => {
      for (const rows of oldRows) {
        const nowMs = clock.monotonicMs()
        if (nowMs < (nextMs.get(rows) ?? nowMs)) continue
        try {
          await whilePagesAreFull(rowsPerPage, () => deleteOldRows(system, rows, { days, limit: rowsPerPage }))
        } catch (error) {
          if (error instanceof DatabaseUnavailable) throw error
          // A table whose rows cannot be deleted must not keep those of the others.
          log.error('old rows could not be deleted', { table: rows.table, error })
        }
        nextMs.set(rows, nowMs + rows.everySeconds * 1_000)
      }
    },
  }
}

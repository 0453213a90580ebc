import type { Database } from '@ars/platform/db/database'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { deleteOldBatches } from './batch.store.ts'
import { batchesBounds } from './bounds.ts'

const batchesPerPage = batchesBounds.oldBatchesTogether.count

/** Deletes ended batches after the time for which runs are kept. */
export const oldBatchSweep = ({ system, days }: { system: Database; days: number }): Sweep => ({
  name: 'old-batches',
  everyMs: 600_000,
  run: () => whilePagesAreFull(batchesPerPage, () => deleteOldBatches(system, { days, limit: batchesPerPage })),
})

import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { deleteOldBatches } from './batch.store.ts'
import { type BatchDeps, createBatchAdvance } from './batch-advance.service.ts'
import { takeDueBatches } from './batch-work.store.ts'

/** Batches that one worker advances at once. */
const maxHeld = 8
/** The rest waits for the next sweep, so that a worker that stops need not wait for all of them. */
const maxRounds = 5
const batchesPerPage = 1_000

/** Advances the batches that are due. */
export const batchSweep = (deps: BatchDeps & { system: Database }): Sweep => {
  const advance = createBatchAdvance(deps)
  return {
    name: 'batches',
    everyMs: 250,
    run: async () => {
      for (let round = 0; round < maxRounds; round++) {
        const held = await takeDueBatches(deps.system, maxHeld)
        await Promise.all(
          held.map((batch) =>
            // A batch that cannot be advanced must not hold up the others. Its lease ends soon.
            advance(batch).catch((error: unknown) => {
              deps.log.error('a batch could not be advanced', { batch_id: fromUuid('bat', batch.id), error })
            }),
          ),
        )
        if (held.length < maxHeld) return
      }
    },
  }
}

/** Deletes ended batches after the time for which runs are kept. */
export const oldBatchSweep = ({ system, days }: { system: Database; days: number }): Sweep => ({
  name: 'old-batches',
  everyMs: 600_000,
  run: () => whilePagesAreFull(batchesPerPage, () => deleteOldBatches(system, { days, limit: batchesPerPage })),
})

import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { usageBounds } from './bounds.ts'
import { countEnds, countNotes, endsPerBatch, notesPerBatch, passCountedNotes } from './rollup.store.ts'

// A worker that stops waits for the end of a round, so a round is bounded.
const batchesPerRound = usageBounds.rollupBatches.count
const minEndsPerBatch = usageBounds.leastEndsTogether.count

/**
 * Adds ended runs and notes to the buckets. Figures are about a second old. A batch that fails, such as one that takes too long on
 * a busy database, is tried again with half as many ends.
 */
export const rollupSweep = (deps: { system: Database }): Sweep => {
  let limit = endsPerBatch
  const countBatch = async (): Promise<boolean> => {
    const asked = limit
    limit = Math.max(minEndsPerBatch, Math.floor(limit / 2))
    const ends = await countEnds(deps.system, asked)
    limit = Math.min(endsPerBatch, asked * 2)
    return ends === asked
  }
  return {
    name: 'rollups',
    everyMs: 1_000,
    run: async () => {
      for (let batch = 0; batch < batchesPerRound && (await countBatch()); batch++);
      for (let batch = 0; batch < batchesPerRound; batch++) {
        const notes = await countNotes(deps.system)
        if (notes > 0) await passCountedNotes(deps.system)
        if (notes < notesPerBatch) break
      }
    },
  }
}

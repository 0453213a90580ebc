import { toUuid } from '@ars/platform/id'
import { createWorkLoop } from '@ars/platform/work/loop'
import { usualBounds, type WorkMetrics } from '@ars/platform/work/queue'
import { recordEvent, wakingListener } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import { countWaitingItems } from './batch.store.ts'
import { batchShare, toWireBatch } from './batch.ts'
import { type BatchDeps, createBatchQueue } from './batch-advance.service.ts'
import { wakeBatches } from './batch-work.store.ts'
import { batchesBounds } from './bounds.ts'

export { batchApi, batchReplays } from './batch.api.ts'
export { createBatches } from './batch.service.ts'
export { type BatchItem, batchLine } from './batch.ts'
export { claimBatchItems } from './batch-item.store.ts'
export { createBatchStart } from './batch-start.service.ts'

/** A batch starts several runs at once, and each takes a connection. */
const batchBounds = {
  ...usualBounds,
  places: batchesBounds.batchTurns.count,
  keptPlaces: batchesBounds.batchTurnsKept.count,
  ...batchShare,
  idleMs: 500,
} as const

/** The worker's part of batches. */
export const createBatchWorker = (
  { system, steps: app, newId, clock, log }: Parts,
  { metrics, ...deps }: Pick<BatchDeps, 'callerOf' | 'start' | 'cancelRun' | 'eraseRun'> & { metrics: WorkMetrics },
) => {
  const queue = createBatchQueue({
    ...deps,
    ...{ system, app, log },
    onEnded: (tx, batch) =>
      recordEvent(tx, batch.org_id, {
        id: toUuid(newId('evt')),
        type: 'batch.completed',
        subjectId: batch.id,
        data: toWireBatch(batch),
      }),
  })
  const loop = createWorkLoop(queue, batchBounds, { clock, log, metrics })
  return {
    /** The ends of runs among the events make their batches due. */
    onEvents: wakingListener(wakeBatches, loop.nudge),
    loop,
    countWaitingItems: () => countWaitingItems(system),
  }
}

import { toUuid } from '@ars/platform/id'
import { type FanOut, recordEvent } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import { countWaitingItems } from './batch.store.ts'
import { batchSweep, oldBatchSweep } from './batch.sweep.ts'
import { toWireBatch } from './batch.ts'
import type { BatchDeps } from './batch-advance.service.ts'
import { wakeBatches } from './batch-work.store.ts'

export { batchApi, batchReplays } from './batch.api.ts'
export { createBatches } from './batch.service.ts'
export { type BatchItem, batchLine } from './batch.ts'
export { claimBatchItems } from './batch-item.store.ts'
export { createBatchStart } from './batch-start.service.ts'

/** The worker's part of batches. */
export const createBatchWorker = (
  { system, steps: app, newId, log, config }: Parts,
  deps: Pick<BatchDeps, 'callerOf' | 'start' | 'cancelRun' | 'eraseRun'>,
) => ({
  /** The ends of runs among the events make their batches due. */
  alsoWakes: (fanOut: FanOut): FanOut => ({
    ...fanOut,
    createDeliveries: async (tx, events) => {
      const [made] = await Promise.all([fanOut.createDeliveries(tx, events), wakeBatches(tx, events)])
      return made
    },
  }),
  sweeps: [
    batchSweep({
      ...deps,
      ...{ system, app, log },
      onEnded: (tx, batch) =>
        recordEvent(tx, batch.org_id, {
          id: toUuid(newId('evt')),
          type: 'batch.completed',
          subjectId: batch.id,
          data: toWireBatch(batch),
        }),
    }),
    oldBatchSweep({ system, days: config.retentionDays }),
  ],
  countWaitingItems: () => countWaitingItems(system),
})

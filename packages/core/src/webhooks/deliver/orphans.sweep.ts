import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import {
  endOrphans,
  listDeletedQueues,
  listDisabledQueues,
  listWrongQueues,
  orphansPerBatch,
  repairQueue,
} from './orphans.store.ts'

/** Ends deliveries that wait for disabled endpoints. Disabling ends the first batch; this ends the rest. */
export const disabledSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'deliveries-of-disabled-webhooks',
  everyMs: 2000,
  run: async () => {
    for (const webhookId of await listDisabledQueues(deliveries)) await endAll(deliveries, webhookId)
  },
})

/** Ends deliveries that wait for deleted endpoints. */
export const deletedSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'deliveries-of-deleted-webhooks',
  everyMs: 10_000,
  run: async () => {
    for (const webhookId of await listDeletedQueues(deliveries)) await endAll(deliveries, webhookId)
  },
})

/** A wrong count could block an endpoint for ever. It should never happen; if it does, a person must know. */
export const queueRepairSweep = ({ deliveries, log }: { deliveries: Database; log: Log }): Sweep => ({
  name: 'webhook-lanes',
  everyMs: 300_000,
  run: async () => {
    for (const webhookId of await listWrongQueues(deliveries)) {
      if (await repairQueue(deliveries, webhookId))
        log.error('webhook lane was counted wrongly', { webhook_id: webhookId })
    }
  },
})

const endAll = async (deliveries: Database, webhookId: string): Promise<void> => {
  while ((await endOrphans(deliveries, webhookId)) === orphansPerBatch);
}

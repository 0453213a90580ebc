import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import {
  endOldDeliveries,
  endOrphans,
  listDeletedQueues,
  listDisabledQueues,
  listOldQueues,
  listWrongQueues,
  orphansPerBatch,
  repairQueue,
} from './orphans.store.ts'

type Deps = { deliveries: Database; log: Log }

/** Ends deliveries that wait for disabled endpoints. Disabling ends the first batch; this ends the rest. */
export const disabledSweep = ({ deliveries, log }: Deps): Sweep => ({
  name: 'deliveries-of-disabled-webhooks',
  everyMs: 2000,
  run: async () => {
    for (const webhookId of await listDisabledQueues(deliveries)) await endAll({ deliveries, log }, webhookId)
  },
})

/** Ends deliveries that wait for deleted endpoints. */
export const deletedSweep = ({ deliveries, log }: Deps): Sweep => ({
  name: 'deliveries-of-deleted-webhooks',
  everyMs: 10_000,
  run: async () => {
    for (const webhookId of await listDeletedQueues(deliveries)) await endAll({ deliveries, log }, webhookId)
  },
})

/** Ends deliveries that still wait when their event is about to be deleted. Retention calls it before it drops a day. */
export const createOldDeliveryEnd =
  ({ deliveries, log }: Deps) =>
  async (days: number): Promise<void> => {
    for (const webhookId of await listOldQueues(deliveries, days)) {
      await whilePagesAreFull(orphansPerBatch, () => endOldDeliveries(deliveries, webhookId, days))
      log.warn('pending deliveries reached the end of their retention', { webhook_id: webhookId })
    }
  }

/** A wrong count could block an endpoint for ever. It should never happen; if it does, a person must know. */
export const queueRepairSweep = ({ deliveries, log }: Deps): Sweep => ({
  name: 'endpoint-queues',
  everyMs: 300_000,
  run: async () => {
    for (const webhookId of await listWrongQueues(deliveries)) {
      if (await repairQueue(deliveries, webhookId))
        log.error('webhook lane was counted wrongly', { webhook_id: webhookId })
    }
  },
})

/** An endpoint whose deliveries cannot be ended must not keep the others. */
const endAll = async ({ deliveries, log }: Deps, webhookId: string): Promise<void> => {
  await whilePagesAreFull(orphansPerBatch, () => endOrphans(deliveries, webhookId)).catch((error: unknown) => {
    log.error('deliveries of an inactive endpoint could not be ended', { webhook_id: webhookId, error })
  })
}

import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import {
  endLeftovers,
  leftoversPerBatch,
  listDeletedLanes,
  listDisabledLanes,
  listWrongLanes,
  repairLane,
} from './leftovers.store.ts'

/** Ends what waits for endpoints that were disabled. Whoever disables one ends the first of it; this ends the rest. */
export const disabledSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'deliveries-of-disabled-webhooks',
  everyMs: 2000,
  run: async () => {
    for (const webhookId of await listDisabledLanes(deliveries)) await endAll(deliveries, webhookId)
  },
})

/** Ends what waits for endpoints that were deleted. */
export const deletedSweep = ({ deliveries }: { deliveries: Database }): Sweep => ({
  name: 'deliveries-of-deleted-webhooks',
  everyMs: 10_000,
  run: async () => {
    for (const webhookId of await listDeletedLanes(deliveries)) await endAll(deliveries, webhookId)
  },
})

/** A count that is wrong would let an endpoint wait for ever. It never should be; if it is, a person must know. */
export const laneRepairSweep = ({ deliveries, log }: { deliveries: Database; log: Log }): Sweep => ({
  name: 'webhook-lanes',
  everyMs: 300_000,
  run: async () => {
    for (const webhookId of await listWrongLanes(deliveries)) {
      if (await repairLane(deliveries, webhookId))
        log.error('webhook lane was counted wrongly', { webhook_id: webhookId })
    }
  },
})

const endAll = async (deliveries: Database, webhookId: string): Promise<void> => {
  while ((await endLeftovers(deliveries, webhookId)) === leftoversPerBatch);
}

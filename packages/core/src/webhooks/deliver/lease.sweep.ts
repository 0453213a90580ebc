import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { listOrphans } from './endpoint-queue.store.ts'
import type { Sender } from './sender.service.ts'

const orphansPerRound = 500

/**
 * Closes the attempts of workers that died. The request may have been sent, so the attempt counts; nobody saw the
 * response, so it did not succeed.
 */
export const leaseSweep = (deps: { deliveries: Database; sender: Pick<Sender, 'end'>; log: Log }): Sweep => ({
  name: 'delivery-leases',
  everyMs: 1000,
  run: async () => {
    const orphans = await listOrphans(deps.deliveries, orphansPerRound)
    const ends = await Promise.all(
      orphans.map(({ delivery_id, webhook_id, number }) =>
        deps.sender.end({
          deliveryId: delivery_id,
          webhookId: webhook_id,
          number,
          outcome: 'interrupted',
          durationMs: null,
          httpStatus: null,
          error: 'interrupted: Our worker stopped before the attempt ended; it may have reached the endpoint',
          requestHeaders: null,
          responseHeaders: null,
          responseBody: null,
        }),
      ),
    )
    const closed = ends.filter((end) => end !== null).length
    if (closed > 0) deps.log.warn('delivery attempts were interrupted', { attempts: closed })
  },
})

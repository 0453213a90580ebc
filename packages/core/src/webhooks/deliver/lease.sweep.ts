import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { webhooksBounds } from '../bounds.ts'
import { listOrphans } from './endpoint-queue.store.ts'
import type { Sender } from './sender.service.ts'

const orphansPerPage = webhooksBounds.orphansTogether.count

/**
 * Closes the attempts of workers that died. The request may have been sent, so the attempt counts; nobody saw the
 * response, so it did not succeed.
 */
export const leaseSweep = (deps: Deps): Sweep => ({
  name: 'delivery-leases',
  everyMs: 1000,
  run: () => whilePagesAreFull(orphansPerPage, () => closePage(deps)),
})

type Deps = { deliveries: Database; sender: Pick<Sender, 'end'>; log: Log }

const closePage = async (deps: Deps): Promise<number> => {
  const orphans = await listOrphans(deps.deliveries, orphansPerPage)
  const ends = await Promise.allSettled(
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
  const closed = ends.filter((end) => end.status === 'fulfilled' && end.value !== null).length
  if (closed > 0) deps.log.warn('delivery attempts were interrupted', { attempts: closed })
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) deps.log.error('delivery attempts could not be closed', { error: failed.reason })
  return closed
}

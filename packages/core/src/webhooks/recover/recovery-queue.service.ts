import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { type ClaimedItem, type Outcome, usualBounds, type WorkQueue } from '@ars/platform/work/queue'
import { holdRows } from '../../work-rows.service.ts'
import { webhooksBounds } from '../bounds.ts'
import { deliveryChannel } from '../webhook/delivery.ts'
import { insertDeliveries } from '../webhook/delivery-new.store.ts'
import { lockWebhook } from '../webhook/webhook.store.ts'
import { searchFor } from './missed.service.ts'
import { lookForMissedIn } from './missed.store.ts'
import { cancelledError, endEarly } from './recovery.service.ts'
import { advanceRecovery, readClaimedRecovery, recoveryWork, settleRecovery } from './recovery.store.ts'
import { isSearched, pendingOf, portion, type Recovery, roomFor } from './recovery.ts'

export const recoveryBounds = {
  ...usualBounds,
  places: webhooksBounds.recoveryTurns.count,
  keptPlaces: webhooksBounds.recoveryTurnsKept.count,
  perOrg: webhooksBounds.recoveryTurnsOfOrganisation.count,
  idleMs: 2_000,
} as const

/** Its deliveries wait for their endpoint. They wake nobody, because they are many. */
const waiting: Outcome = { kind: 'later', afterMs: 500, progressed: true }

type Deps = { system: Database; newId: IdMaker; pubSub: Pick<PubSub, 'publish'>; log: Log }

/** What follows a portion. `room`: how many portions may be searched before deliveries must have ended. */
type Next = { kind: 'ended' } | { kind: 'waits' } | { kind: 'goes on'; room: number }

const ended: Next = { kind: 'ended' }
const waits: Next = { kind: 'waits' }

/**
 * The recoveries that are due. Each portion is one transaction that moves the cursor and creates the deliveries: a worker
 * that dies leaves nothing half done, and several workers create nothing twice. The sender does the rest.
 */
export const createRecoveryQueue = (deps: Deps): WorkQueue<ClaimedItem> => ({
  name: 'recoveries',
  ...holdRows(recoveryWork, { system: deps.system, app: deps.system }),
  work: async (held, turn) => {
    let room: number | null = null
    while (true) {
      const next: Next = await deps.system.transaction(held.org, (tx) => takePortion(deps, tx, { held, room }))
      if (next.kind !== 'goes on') return next.kind === 'ended' ? { kind: 'done' } : waiting
      deps.pubSub.publish(deliveryChannel, '')
      room = next.room
      if (room === 0) return waiting
      if (!turn.mayGoOn()) return { kind: 'again', progressed: true }
    }
  },
  bury: async (held) => {
    await deps.system.transaction(held.org, async (tx) => {
      const recovery = await readClaimedRecovery(tx, held.org, held)
      if (recovery)
        await stop(tx, recovery, 'The search for missed events failed again and again, so nothing more was sent')
    })
  },
})

const takePortion = async (
  deps: Deps,
  tx: Tx,
  { held, room }: { held: ClaimedItem; room: number | null },
): Promise<Next> => {
  const { org, id } = held
  const recovery = await readClaimedRecovery(tx, org, held)
  if (!recovery) return ended
  if (recovery.status === 'cancelled' || isSearched(recovery)) return settle(deps, tx, recovery)
  const portions = room ?? roomFor(pendingOf(recovery))
  if (portions === 0) return waits
  const { webhook_id: webhookId } = recovery
  const webhook = await lockWebhook(tx, org, webhookId)
  // It is being deleted, and its recoveries with it.
  if (!webhook) return waits
  if (webhook.disabled_at !== null) {
    await endEarly(tx, org, { id, webhookId, error: 'The webhook was paused or disabled, so nothing more was sent' })
    deps.log.info('recovery cancelled: its webhook is not active', factsOf(recovery))
    return waits
  }
  const search = searchFor(webhook, recovery)
  const ids = recovery.cursor === null ? search.ids : { ...search.ids, from: recovery.cursor }
  const { missed, next } = await lookForMissedIn(tx, org, { ...search, ids }, portion)
  const { cursor } = recovery
  if (!(await advanceRecovery(tx, org, { ...held, cursor, next, found: missed.length }))) return ended
  const deliveries = missed.map(({ id: eventId, type }) => ({
    id: toUuid(deps.newId('dlv')),
    eventId,
    eventType: type,
  }))
  if (deliveries.length > 0) {
    await insertDeliveries(tx, org, { webhookId, source: 'recovery', recoveryId: id, deliveries })
  }
  // After the last portion it is checked once more: a recovery that found nothing has ended.
  return { kind: 'goes on', room: next === null ? 1 : portions - (missed.length > 0 ? 1 : 0) }
}

/** The search is complete or stopped: the recovery ends with the last of its deliveries. */
const settle = async (deps: Deps, tx: Tx, recovery: Recovery): Promise<Next> => {
  // An attempt that was in flight has failed since, and would be repeated.
  if (recovery.status === 'cancelled' && pendingOf(recovery) > 0) return stop(tx, recovery, cancelledError)
  if (!(await settleRecovery(tx, recovery.org_id, recovery))) return waits
  const { found, delivered, failed } = recovery
  deps.log.info('recovery ended', { ...factsOf(recovery), found, delivered, failed })
  return ended
}

const stop = async (tx: Tx, { id, org_id: org, webhook_id: webhookId }: Recovery, error: string): Promise<Next> => {
  if (await lockWebhook(tx, org, webhookId)) await endEarly(tx, org, { id, webhookId, error })
  return waits
}

const factsOf = ({ id, org_id, webhook_id }: Recovery) => ({
  recovery_id: fromUuid('rec', id),
  webhook_id: fromUuid('wh', webhook_id),
  org_id,
})

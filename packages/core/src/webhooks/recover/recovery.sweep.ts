import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { deliveryChannel } from '../webhook/delivery.ts'
import { insertDeliveries } from '../webhook/delivery-new.store.ts'
import { lockWebhook } from '../webhook/webhook.store.ts'
import { searchFor } from './missed.service.ts'
import { lookForMissedIn } from './missed.store.ts'
import { cancelledError, endEarly } from './recovery.service.ts'
import { advanceRecovery, listOpenRecoveries, readRecovery, settleRecovery, takeRecovery } from './recovery.store.ts'
import { isSearched, pendingOf, portion, type Recovery, roomFor } from './recovery.ts'

const recoveriesPerRound = 100
/** A long search is split into several turns, so that other recoveries make progress in between. */
const portionsPerTurn = 50

type Deps = { system: Database; newId: IdMaker; pubSub: Pick<PubSub, 'publish'>; log: Log }
type Open = Pick<Recovery, 'id' | 'org_id' | 'webhook_id'>

/**
 * Continues recoveries. Each portion is one transaction that moves the cursor and creates the deliveries: a worker
 * that dies leaves nothing half done, and several workers create nothing twice. The sender does the rest.
 */
export const recoverySweep = (deps: Deps): Sweep => ({
  name: 'recoveries',
  everyMs: 500,
  run: async () => {
    for (let after: string | null = null; ; ) {
      const open: Open[] = await listOpenRecoveries(deps.system, { after, limit: recoveriesPerRound })
      for (const recovery of open) {
        // A recovery that fails must not block the others.
        await carryOn(deps, recovery).catch((error: unknown) => {
          deps.log.error('recovery could not be carried on', { ...factsOf(recovery), error })
        })
      }
      after = open.at(-1)?.id ?? null
      if (open.length < recoveriesPerRound) return
    }
  },
})

const carryOn = async (deps: Deps, open: Open): Promise<void> => {
  let room: number | null = null
  for (let n = 0; n < portionsPerTurn && room !== 0; n++) {
    const left: number | null = room
    room = await deps.system.transaction(open.org_id, (tx) => takePortion(deps, tx, { open, room: left }))
    if (room === null) return
    deps.pubSub.publish(deliveryChannel, '')
  }
}

/** Answers how many portions may follow at once. Null: nothing was created. */
const takePortion = async (
  deps: Deps,
  tx: Tx,
  { open, room }: { open: Open; room: number | null },
): Promise<number | null> => {
  const { id, org_id: org, webhook_id: webhookId } = open
  if (!(await takeRecovery(tx, org, id))) return null
  const recovery = await readRecovery(tx, org, { webhookId, id })
  if (!recovery || recovery.ended_at !== null) return null
  if (recovery.status === 'cancelled' || isSearched(recovery)) return settle(deps, tx, recovery)
  const portions = room ?? roomFor(pendingOf(recovery))
  if (portions === 0) return null
  const webhook = await lockWebhook(tx, org, webhookId)
  if (!webhook) return null
  if (webhook.disabled_at !== null) {
    await endEarly(tx, org, { id, webhookId, error: 'The webhook was paused or disabled, so nothing more was sent' })
    deps.log.info('recovery cancelled: its webhook is not active', factsOf(recovery))
    return null
  }
  const search = searchFor(webhook, recovery)
  const ids = recovery.cursor === null ? search.ids : { ...search.ids, from: recovery.cursor }
  const { missed, next } = await lookForMissedIn(tx, org, { ...search, ids }, portion)
  const { cursor } = recovery
  if (!(await advanceRecovery(tx, org, { id, cursor, next, found: missed.length }))) return null
  const deliveries = missed.map(({ id: eventId, type }) => ({
    id: toUuid(deps.newId('dlv')),
    eventId,
    eventType: type,
  }))
  if (deliveries.length > 0) {
    await insertDeliveries(tx, org, { webhookId, source: 'recovery', recoveryId: id, deliveries })
  }
  // After the last portion it is checked once more: a recovery that found nothing has ended.
  return next === null ? 1 : portions - (missed.length > 0 ? 1 : 0)
}

/** The search is complete or stopped: the recovery ends with the last of its deliveries. */
const settle = async (deps: Deps, tx: Tx, recovery: Recovery): Promise<null> => {
  const { id, org_id: org, webhook_id: webhookId, status } = recovery
  if (status === 'cancelled' && pendingOf(recovery) > 0) {
    // An attempt that was in flight has failed since, and would be repeated.
    if (await lockWebhook(tx, org, webhookId)) await endEarly(tx, org, { id, webhookId, error: cancelledError })
    return null
  }
  if (!(await settleRecovery(tx, org, recovery))) return null
  const { found, delivered, failed } = recovery
  deps.log.info('recovery ended', { ...factsOf(recovery), found, delivered, failed })
  return null
}

const factsOf = ({ id, org_id, webhook_id }: Open) => ({
  recovery_id: fromUuid('rec', id),
  webhook_id: fromUuid('wh', webhook_id),
  org_id,
})

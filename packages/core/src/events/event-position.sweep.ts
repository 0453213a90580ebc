import type { Database, Tx } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { eventsBounds } from './bounds.ts'
import { channelOf } from './event-feed.service.ts'
import {
  assignPositions,
  type CreateDeliveries,
  type EventBatch,
  eventsPerBatch,
  hasUnassigned,
} from './position-assignment.store.ts'

// A worker that stops waits for the end of a round, so a round is bounded.
const batchesPerRound = eventsBounds.positionBatches.count

/** What another slice does with each batch of events: `createDeliveries` in the same transaction, `onCreated` after it. */
export type FanOut = {
  createDeliveries: CreateDeliveries
  onCreated(): void
  /** After each batch, with or without deliveries. */
  onAssigned?(): void
}

/** The fan-out that also makes rows of a queue due, in the same transaction, and then has a look at the queue. */
export const alsoWaking = (
  fanOut: FanOut,
  wake: (tx: Tx, events: EventBatch) => Promise<number>,
  nudge: () => void,
): FanOut => {
  let woken = 0
  return {
    ...fanOut,
    createDeliveries: async (tx, events) => {
      const [made, wakes] = await Promise.all([fanOut.createDeliveries(tx, events), wake(tx, events)])
      woken += wakes
      return made
    },
    onAssigned: () => {
      fanOut.onAssigned?.()
      if (woken > 0) nudge()
      woken = 0
    },
  }
}

/** Assigns positions to new events in the order of their commits, and hands each batch to the fan-out. */
export const eventPositionSweep = (deps: {
  deliveries: Database
  pubSub: Pick<PubSub, 'publish'>
  fanOut: FanOut
}): Sweep => ({
  name: 'events',
  everyMs: 250,
  run: async () => {
    if (!(await hasUnassigned(deps.deliveries))) return
    for (let batch = 0; batch < batchesPerRound; batch++) {
      const assigned = await assignPositions(deps.deliveries, deps.fanOut.createDeliveries)
      if (!assigned) return
      for (const { org_id, position } of assigned) deps.pubSub.publish(channelOf(org_id), String(position))
      deps.fanOut.onAssigned?.()
      if (assigned.some(({ deliveries }) => deliveries > 0)) deps.fanOut.onCreated()
      if (assigned.reduce((sum, { events }) => sum + events, 0) < eventsPerBatch) return
    }
  },
})

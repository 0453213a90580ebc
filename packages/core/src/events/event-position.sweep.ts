import type { Database, Tx } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { eventsBounds } from './bounds.ts'
import { channelOf } from './event-feed.service.ts'
import {
  assignPositions,
  type EventBatch,
  type EventListener,
  eventsPerBatch,
  hasUnassigned,
} from './position-assignment.store.ts'

// A worker that stops waits for the end of a round, so a round is bounded.
const batchesPerRound = eventsBounds.positionBatches.count

/** Rows of a queue that become due in the transaction; after the commit the queue is looked at, if there are any. */
export const wakingListener =
  (wake: (tx: Tx, events: EventBatch) => Promise<number>, nudge: () => void): EventListener =>
  async (tx, events) =>
    (await wake(tx, events)) > 0 ? nudge : undefined

/** Assigns positions to new events in the order of their commits, and hands each batch to the listeners. */
export const eventPositionSweep = (deps: {
  deliveries: Database
  pubSub: Pick<PubSub, 'publish'>
  listeners: readonly EventListener[]
}): Sweep => ({
  name: 'events',
  everyMs: 250,
  run: async () => {
    if (!(await hasUnassigned(deps.deliveries))) return
    for (let batch = 0; batch < batchesPerRound; batch++) {
      const assigned = await assignPositions(deps.deliveries, deps.listeners)
      if (!assigned) return
      for (const { org_id, position } of assigned) deps.pubSub.publish(channelOf(org_id), String(position))
      if (assigned.reduce((sum, { events }) => sum + events, 0) < eventsPerBatch) return
    }
  },
})

import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { Wakeups } from '@ars/platform/redis/redis'
import { eventChannelOf } from '../events/index.ts'
import { deliveryChannel } from './delivery-channel.ts'
import { eventsPerBatch, hasUntold, tellEvents } from './fan-out.store.ts'

// A worker that stops waits for the end of a round.
const batchesPerRound = 20

/** The relay: gives events their places, in the order in which they came to be seen, and makes their deliveries. */
export const fanOutSweep = (deps: {
  deliveries: Database
  wakeups: Pick<Wakeups, 'publish'>
  nudge(): void
}): Sweep => ({
  name: 'events',
  everyMs: 250,
  run: async () => {
    if (!(await hasUntold(deps.deliveries))) return
    for (let batch = 0; batch < batchesPerRound; batch++) {
      const told = await tellEvents(deps.deliveries)
      if (!told) return
      for (const { org_id, position } of told) deps.wakeups.publish(eventChannelOf(org_id), String(position))
      if (told.some(({ deliveries }) => deliveries > 0)) {
        deps.nudge()
        deps.wakeups.publish(deliveryChannel, '')
      }
      if (told.reduce((sum, { events }) => sum + events, 0) < eventsPerBatch) return
    }
  },
})

import type { RunId, Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Caller } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { cancelRun } from './cancel.store.ts'
import type { Feed } from './feed.service.ts'
import { queueChannel, stopChannel } from './queue.ts'
import { findRun } from './run.store.ts'
import { isEnded, toWire } from './run.ts'

export type CancelService = { cancel(ctx: Pick<Caller, 'org'>, id: RunId): Promise<WireRun> }

// A run may move between two looks at it (start, park); it cannot do so for ever.
const triesMost = 5

export const createCancels = (deps: {
  app: Database
  feed: Feed
  wakeups: Wakeups
  newId: IdMaker
  cancelGraceMs: number
}): CancelService => ({
  cancel: async ({ org }, id) => {
    const run = toUuid(id)
    for (let tries = 1; ; tries++) {
      const cancelled = await cancelRun(deps.app, org, {
        run,
        eventId: toUuid(deps.newId('evt')),
        graceMs: deps.cancelGraceMs,
      })
      if (cancelled) {
        deps.feed.tell(run, cancelled)
        // Whatever of it is under way stops, and whoever waits may have its slot.
        deps.wakeups.publish(stopChannel, run)
        if (cancelled.ended) deps.wakeups.publish(queueChannel, run)
      }
      const found = await findRun(deps.app, org, run)
      if (!found) throw new Fault('not_found', `No run ${id}`)
      if (isEnded(found.status) || found.status === 'cancelling') return toWire(found)
      if (tries >= triesMost)
        throw new Fault('unavailable', 'The run is moving; cancel it again', { retryAfterSeconds: 1 })
    }
  },
})

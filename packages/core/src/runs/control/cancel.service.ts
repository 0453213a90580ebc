import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Caller } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { runsBounds } from '../bounds.ts'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { stopChannel } from '../queue/queue.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { findRun } from '../run/run.store.ts'
import { isEnded, toWireRun } from '../run/run.ts'
import type { OnEnded } from '../run/run-end.ts'
import { cancelRun } from './cancel.store.ts'

export type CancelService = { cancel(ctx: Pick<Caller, 'org'>, run: AccessibleRun): Promise<WireRun> }

// A run may change between two reads (start, park), but not for ever.
const maxTries = runsBounds.cancelTries.count

export const createCancels = (deps: {
  app: Database
  feed: Feed
  pubSub: PubSub
  admission: AdmissionService
  newId: IdMaker
  noteEnd: OnEnded
  cancelGraceMs: number
}): CancelService => ({
  cancel: async ({ org }, { id, uuid: run }) => {
    for (let tries = 1; ; tries++) {
      const cancelled = await cancelRun(deps.app, org, {
        run,
        eventId: toUuid(deps.newId('evt')),
        graceMs: deps.cancelGraceMs,
      })
      if (cancelled.kind !== 'not_cancelled') {
        deps.feed.tell(org, run, { seq: cancelled.seq, ended: cancelled.kind === 'ended' })
        // The work in flight stops, and a waiting run may be admitted.
        deps.pubSub.publish(stopChannel, run)
        if (cancelled.kind === 'ended') {
          deps.noteEnd(cancelled.ended)
          deps.admission.nudge()
        }
      }
      const found = await findRun(deps.app, org, run)
      if (!found) throw new Fault('not_found', `No run ${id}`)
      if (isEnded(found.status) || found.status === 'cancelling') return toWireRun(found)
      if (tries >= maxTries)
        throw new Fault('unavailable', 'The run is moving; cancel it again', {
          reason: 'contended',
          retryAfterSeconds: 1,
        })
    }
  },
})

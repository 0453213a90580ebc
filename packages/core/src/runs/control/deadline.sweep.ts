import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { stopChannel } from '../queue/queue.ts'
import { failure } from '../run/run.ts'
import { endOverdueRuns } from './deadline.store.ts'

const runsPerRound = 200

const failures = {
  queued: failure('queue_timeout', 'The run did not get to start in the time it was given', { retryable: true }),
  running: failure('run_timeout', 'The run did not end in the time it was given'),
  requires_action: failure('action_timeout', 'Nobody decided in time'),
}

/** Ends overdue runs, whether or not a worker is alive. */
export const deadlineSweep = (deps: {
  system: Database
  feed: Feed
  admission: AdmissionService
  pubSub: PubSub
  newId: IdMaker
  log: Log
}): Sweep => ({
  name: 'deadlines',
  everyMs: 1000,
  run: async () => {
    const ended = await endOverdueRuns(deps.system, {
      limit: runsPerRound,
      failures,
      eventIds: Array.from({ length: runsPerRound }, () => toUuid(deps.newId('evt'))),
    })
    for (const { org_id, run_id, seq, was } of ended) {
      deps.feed.tell(org_id, run_id, { seq, ended: true })
      deps.pubSub.publish(stopChannel, run_id)
      deps.log.info('deadline passed', { run_id, was })
    }
    if (ended.length > 0) deps.admission.nudge()
  },
})

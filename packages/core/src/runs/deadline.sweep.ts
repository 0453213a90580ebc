import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Feed } from './feed.service.ts'
import { failure } from './run.ts'
import { endOverdueRuns } from './sweep.store.ts'

const runsPerRound = 200

/** Workers that execute a run listen here for the word to stop. */
export const stopChannel = 'runs:stop'

/** Deadlines belong to the server: what is overdue ends, whether or not a worker lives. */
export const deadlineSweep = (deps: {
  system: Database
  feed: Feed
  wakeups: Wakeups
  newId: IdMaker
  log: Log
}): Sweep => ({
  name: 'deadlines',
  everyMs: 1000,
  run: async () => {
    const ended = await endOverdueRuns(deps.system, {
      limit: runsPerRound,
      failure: failure('run_timeout', 'The run did not end in the time it was given'),
      eventIds: Array.from({ length: runsPerRound }, () => toUuid(deps.newId('evt'))),
    })
    for (const { run_id, seq } of ended) {
      deps.feed.tell(run_id, { seq, ended: true })
      deps.wakeups.publish(stopChannel, run_id)
      deps.log.info('run timed out', { run_id })
    }
  },
})

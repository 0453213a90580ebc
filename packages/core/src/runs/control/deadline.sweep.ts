import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { runsBounds } from '../bounds.ts'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { stopChannel } from '../queue/queue.ts'
import { failure } from '../run/run.ts'
import { type OnEnded, toRunEnd } from '../run/run-end.ts'
import { endOverdueRuns, expireOldRuns, listOverdueRuns } from './deadline.store.ts'

const runsPerPage = runsBounds.overdueRunsTogether.count
/** How long a run that cannot be ended is left out, and how many such runs are remembered. */
const putAsideMs = 60_000
const maxPutAside = runsBounds.overdueRunsPutAside.count
/** A run ends this long before its day is dropped, so that nothing of it is dropped while it is active. */
const daysBeforeDrop = 2

const failures = {
  queued: failure('queue_timeout', 'The run did not get to start in the time it was given', { retryable: true }),
  running: failure('run_timeout', 'The run did not end in the time it was given'),
  requires_action: failure('action_timeout', 'Nobody decided in time'),
}

type Deps = {
  system: Database
  feed: Pick<Feed, 'tell'>
  admission: Pick<AdmissionService, 'nudge'>
  pubSub: Pick<PubSub, 'publish'>
  clock: Clock
  newId: IdMaker
  noteEnd: OnEnded
  log: Log
  retentionDays: number
}

/**
 * Ends overdue runs, whether or not a worker is alive. If a page fails, its runs are ended one by one, so that a run with
 * inconsistent rows does not keep the others from ending.
 */
export const deadlineSweep = (deps: Deps): Sweep => {
  const putAside = new Map<string, number>()

  const exceptions = (): string[] => {
    const nowMs = deps.clock.monotonicMs()
    for (const [run, untilMs] of putAside) if (untilMs <= nowMs) putAside.delete(run)
    return [...putAside.keys()]
  }

  const end = async (limit: number, only: readonly string[] | null): Promise<number> => {
    const ended = await endOverdueRuns(deps.system, {
      limit,
      only,
      except: exceptions(),
      failures,
      eventIds: Array.from({ length: limit }, () => toUuid(deps.newId('evt'))),
    })
    for (const overdue of ended) {
      const { org_id, run_id, seq } = overdue
      deps.feed.tell(org_id, run_id, { seq, ended: true })
      deps.pubSub.publish(stopChannel, run_id)
      deps.noteEnd(toRunEnd(run_id, org_id, overdue))
    }
    if (ended.length > 0) deps.admission.nudge()
    return ended.length
  }

  const endOneByOne = async (): Promise<number> => {
    const overdue = await listOverdueRuns(deps.system, { limit: runsPerPage, except: exceptions() })
    for (const run of overdue) {
      try {
        await end(1, [run])
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error
        deps.log.error('an overdue run could not be ended', { run_id: run, error })
        if (putAside.size < maxPutAside) putAside.set(run, deps.clock.monotonicMs() + putAsideMs)
      }
    }
    return overdue.length
  }

  const endPage = async (): Promise<number> => {
    try {
      return await end(runsPerPage, null)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      return endOneByOne()
    }
  }

  const run = async (): Promise<void> => {
    const old = { limit: runsPerPage, maxAgeDays: deps.retentionDays - daysBeforeDrop }
    await whilePagesAreFull(runsPerPage, () => expireOldRuns(deps.system, old))
    await whilePagesAreFull(runsPerPage, endPage)
  }

  return { name: 'deadlines', everyMs: 1000, run }
}

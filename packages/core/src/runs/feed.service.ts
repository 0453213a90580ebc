import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Wakeups } from '@ars/platform/redis/redis'
import { listActive } from './sweep.store.ts'

/** News of a run, told after its commit. The run itself travels along when it has ended and is small. */
export type News = { seq: number; ended?: boolean; run?: WireRun }

export type Follower = {
  /** Resolves at the end of the run: with the run when it came along, with null when it must be read. */
  readonly ended: Promise<WireRun | null>
  /** From here on the run is known to be stored, so its absence among the active ones means that it has ended. */
  arm(): void
  close(): void
}

/**
 * How whoever waits hears of a run. One subscription per run and process, however many wait. Wake-ups may be lost:
 * every few seconds one query looks after all runs that are followed here.
 */
export type Feed = {
  tell(runId: string, news: News): void
  follow(runId: string): Promise<Follower>
  close(): void
}

const lookEveryMs = 5000
const lookEveryMsWithoutWakeups = 1000
/** A larger run is read from Postgres by those who want it. */
const runBytesAlongMost = 32_768

const tellWithinMs = 20

type Followed = { followers: Set<Settle>; armed: boolean }
type Settle = (run: WireRun | null) => void

export const createFeed = (deps: { system: Database; wakeups: Wakeups; log: Log }): Feed => {
  const followed = new Map<string, Followed>()
  const untold = new Map<string, News>()
  let lookedAtMs = performance.now()

  const end = (runId: string, run: WireRun | null): void => {
    for (const settle of followed.get(runId)?.followers ?? []) settle(run)
  }

  const look = async (): Promise<void> => {
    const everyMs = deps.wakeups.isUp() ? lookEveryMs : lookEveryMsWithoutWakeups
    if (performance.now() - lookedAtMs < everyMs) return
    lookedAtMs = performance.now()
    const ids = [...followed].filter(([, { armed }]) => armed).map(([id]) => id)
    if (ids.length === 0) return
    const active = new Set((await listActive(deps.system, ids)).map((row) => row.run_id))
    for (const id of ids) if (!active.has(id)) end(id, null)
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => deps.log.warn('feed could not look', { error }))
  }, 250)

  const publish = (runId: string, news: News): void => {
    const message = JSON.stringify(news)
    const small = message.length <= runBytesAlongMost
    deps.wakeups.publish(channelOf(runId), small ? message : JSON.stringify({ seq: news.seq, ended: news.ended }))
  }

  const hear = (runId: string, message: string): void => {
    const news = JSON.parse(message) as News
    if (news.ended) end(runId, news.run ?? null)
  }

  return {
    tell: (runId, news) => {
      if (news.ended) {
        untold.delete(runId)
        return publish(runId, news)
      }
      // News that is overtaken within the same tick is not worth a message: the last number says it all.
      untold.set(runId, news)
      if (untold.size > 1) return
      setTimeout(() => {
        for (const [id, latest] of untold) publish(id, latest)
        untold.clear()
      }, tellWithinMs)
    },
    follow: async (runId) => {
      let settle: Settle = () => undefined
      const ended = new Promise<WireRun | null>((resolve) => {
        settle = resolve
      })
      const known = followed.get(runId)
      const entry = known ?? { followers: new Set<Settle>(), armed: false }
      entry.followers.add(settle)
      followed.set(runId, entry)
      if (!known) await deps.wakeups.subscribe(channelOf(runId), (message) => hear(runId, message))
      return {
        ended,
        arm: () => {
          entry.armed = true
        },
        close: () => {
          entry.followers.delete(settle)
          if (entry.followers.size > 0 || followed.get(runId) !== entry) return
          followed.delete(runId)
          deps.wakeups.unsubscribe(channelOf(runId))
        },
      }
    },
    close: () => clearInterval(timer),
  }
}

const channelOf = (runId: string): string => `run:${runId}`

import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { listHeads } from './feed.store.ts'
import type { News } from './frame.ts'

export type { News } from './frame.ts'

export type Follower = {
  /**
   * Resolves when the wait is over: with the run if it has ended and its result was published, with null if it must
   * be read, because it has ended or waits for a person.
   */
  readonly settled: Promise<WireRun | null>
  /** From here on the run is known to be stored, so its absence among the active runs means that it has ended. */
  arm(): void
  close(): void
}

export type Watch = { arm(): void; close(): void }

/**
 * How waiting requests learn about a run: one subscription per run and process. Messages may be lost: every few
 * seconds one query checks all runs that are followed here.
 */
export type Feed = {
  tell(runId: string, news: News): void
  /** For a wait for the end. */
  follow(runId: string): Promise<Follower>
  /** For all messages. The listener must not throw; messages may repeat and may skip numbers. */
  watch(runId: string, listener: Listener): Promise<Watch>
  close(): void
}

export type Listener = (news: News) => void

const lookEveryMs = 5_000
const lookEveryMsWithoutPubSub = 1_000
const looksPerStatement = 5_000
/** A follower that is not armed by then has failed and was not closed. */
const maxUnarmedMs = 60_000
/** Larger messages are published without their payload, which is then read from Postgres. */
const maxMessageChars = 32_768
const tellWithinMs = 20

type Entry = { listeners: Set<Listener>; armed: boolean; heard: number; sinceMs: number; subscribed: Promise<void> }

export const createFeed = (deps: { feedReads: Database; pubSub: PubSub; log: Log }): Feed => {
  const entries = new Map<string, Entry>()
  const untold = new Map<string, News>()
  let telling: NodeJS.Timeout | undefined
  let lookedAtMs = performance.now()
  let looking = false

  const deliver = (runId: string, news: News): void => {
    const entry = entries.get(runId)
    if (!entry) return
    entry.heard = Math.max(entry.heard, news.seq)
    for (const listener of entry.listeners) listener(news)
  }

  const lookAt = async (ids: readonly string[]): Promise<void> => {
    const heads = new Map((await listHeads(deps.feedReads, ids)).map((head) => [head.run_id, head]))
    for (const id of ids) {
      const head = heads.get(id)
      const heard = entries.get(id)?.heard ?? 0
      if (!head) deliver(id, { seq: heard, ended: true })
      else if (head.status === 'requires_action') deliver(id, { seq: head.seq, parked: true })
      else if (head.seq > heard) deliver(id, { seq: head.seq })
    }
  }

  const look = async (): Promise<void> => {
    const nowMs = performance.now()
    const everyMs = deps.pubSub.isUp() ? lookEveryMs : lookEveryMsWithoutPubSub
    if (looking || nowMs - lookedAtMs < everyMs) return
    looking = true
    lookedAtMs = nowMs
    try {
      for (const [id, { armed, sinceMs }] of entries) if (!armed && nowMs - sinceMs > maxUnarmedMs) forget(id)
      const ids = [...entries].filter(([, { armed }]) => armed).map(([id]) => id)
      for (let at = 0; at < ids.length; at += looksPerStatement) await lookAt(ids.slice(at, at + looksPerStatement))
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => deps.log.warn('feed could not look', { error }))
  }, 250)

  const publish = (runId: string, news: News): void => {
    const message = JSON.stringify(news)
    const { seq, ended, parked } = news
    const sent = message.length <= maxMessageChars ? message : JSON.stringify({ seq, ended, parked })
    deps.pubSub.publish(channelOf(runId), sent)
  }

  const publishUntold = (): void => {
    telling = undefined
    for (const [id, latest] of untold) publish(id, latest)
    untold.clear()
  }

  const hear = (runId: string, message: string): void => {
    try {
      deliver(runId, JSON.parse(message) as News)
    } catch (error) {
      deps.log.warn('feed could not hear', { run_id: runId, error })
    }
  }

  const forget = (runId: string): void => {
    entries.delete(runId)
    deps.pubSub.unsubscribe(channelOf(runId))
  }

  const watch = async (runId: string, listener: Listener): Promise<Watch> => {
    const entry = entries.get(runId) ?? {
      listeners: new Set<Listener>(),
      armed: false,
      heard: 0,
      sinceMs: performance.now(),
      subscribed: deps.pubSub.subscribe(channelOf(runId), (message) => hear(runId, message)),
    }
    entries.set(runId, entry)
    entry.listeners.add(listener)
    const close = (): void => {
      entry.listeners.delete(listener)
      if (entry.listeners.size === 0 && entries.get(runId) === entry) forget(runId)
    }
    try {
      await entry.subscribed
    } catch (error) {
      close()
      throw error
    }
    return {
      arm: () => {
        entry.armed = true
      },
      close,
    }
  }

  return {
    tell: (runId, news) => {
      if (news.ended || news.parked || news.frames) {
        untold.delete(runId)
        return publish(runId, news)
      }
      // A bare number that is superseded within the same tick is not published: the last one suffices.
      untold.set(runId, news)
      telling ??= setTimeout(publishUntold, tellWithinMs)
    },
    follow: async (runId) => {
      let settle: (run: WireRun | null) => void = () => undefined
      const settled = new Promise<WireRun | null>((resolve) => {
        settle = resolve
      })
      const following = watch(runId, ({ ended, parked, run }) => {
        if (ended || parked) settle((ended && run) || null)
        // Nothing more will come, whether or not the caller closes it.
        if (ended) following.then(({ close }) => close()).catch(() => undefined)
      })
      return { settled, ...(await following) }
    },
    watch,
    close: () => {
      clearInterval(timer)
      clearTimeout(telling)
    },
  }
}

const channelOf = (runId: string): string => `run:${runId}`

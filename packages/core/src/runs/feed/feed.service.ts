import type { Run as WireRun } from '@ars/contract'
import { createCoalesced } from '@ars/platform/coalesced'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { MessageSeal } from '@ars/platform/redis/message-seal'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { textSize } from '@ars/platform/text-size'
import type { HistoryWatch } from '../../events/index.ts'
import { runsBounds } from '../bounds.ts'
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
 * How waiting requests learn about a run: one subscription per run and process. Redis is not trusted: only a sealed
 * message is believed. Any other one, and all of them without a key, is a hint to ask the database. Messages may be lost:
 * every few seconds one query checks all runs that are followed here.
 */
export type Feed = {
  tell(org: string, runId: string, news: News): void
  /** For a wait for the end. */
  follow(org: string, runId: string): Promise<Follower>
  /** For all messages. The listener must not throw; messages may repeat and may skip numbers. */
  watch(org: string, runId: string, listener: Listener): Promise<Watch>
  close(): void
}

export type Listener = (news: News) => void

const lookEveryMs = 5_000
const lookEveryMsWithoutPubSub = 1_000
const looksPerStatement = runsBounds.feedsLookedAt.count
/** A follower that is not armed by then has failed and was not closed. */
const maxUnarmedMs = runsBounds.followerUnarmed.ms
/** Larger messages are published without their payload, which is then read from Postgres. */
const maxMessageChars = runsBounds.feedMessage.chars
const tellWithinMs = 20
/** All hints of this time share one query, so that a flood of forged ones costs little. */
const hintsEveryMs = 20

type Entry = {
  org: string
  runId: string
  listeners: Set<Listener>
  armed: boolean
  heard: number
  sinceMs: number
  subscribed: Promise<void>
}

type Deps = {
  feedReads: Database
  pubSub: PubSub
  /** Undefined: there is no key, so only numbers are published. */
  seal?: MessageSeal | undefined
  /** Undefined: nothing is streamed here. */
  history?: Pick<HistoryWatch, 'onWentBack' | 'onClosed'> | undefined
  log: Log
  /** Of looks into the database. Omitted: by whether notifications arrive. */
  lookEveryMs?: number
}

export const createFeed = (deps: Deps): Feed => {
  /** By channel. */
  const entries = new Map<string, Entry>()
  /** There was a hint about these that has not been followed. */
  const hinted = new Set<Entry>()
  const untold = new Map<string, { org: string; runId: string; news: News }>()
  let telling: NodeJS.Timeout | undefined
  let lookedAtMs = performance.now()
  let looking = false

  const deliver = (entry: Entry, news: News): void => {
    entry.heard = Math.max(entry.heard, news.seq)
    for (const listener of entry.listeners) listener(news)
  }

  /** `seq`: the last number now. */
  const goBack = (entry: Entry, news: News): void => {
    entry.heard = 0
    deliver(entry, { ...news, wentBack: true })
  }
  deps.history?.onWentBack(() => {
    for (const entry of entries.values()) goBack(entry, { seq: 0 })
  })
  // Streams end, and a request that waits for the end of a run reads it and fails: another cell continues the run.
  deps.history?.onClosed((orgs) => {
    for (const entry of entries.values()) {
      if (!orgs.has(entry.org)) continue
      goBack(entry, { seq: 0 })
      if (entry.armed) deliver(entry, { seq: 0, ended: true })
    }
  })

  const lookAt = async (looked: readonly Entry[]): Promise<void> => {
    // The numbers are noted before the query, because the query must find at least these.
    const heard = looked.map((entry) => entry.heard)
    const found = await listHeads(
      deps.feedReads,
      looked.map(({ runId }) => runId),
    )
    const heads = new Map(found.map((head) => [head.run_id, head]))
    for (const [at, entry] of looked.entries()) {
      const head = heads.get(entry.runId)
      const parked = head?.status === 'requires_action'
      if (!head) deliver(entry, { seq: entry.heard, ended: true })
      else if (head.seq < (heard[at] ?? 0)) goBack(entry, { seq: head.seq, parked })
      else if (parked) deliver(entry, { seq: head.seq, parked })
      else if (head.seq > entry.heard) deliver(entry, { seq: head.seq })
    }
  }

  const hints = createCoalesced({
    everyMs: hintsEveryMs,
    work: async () => {
      // A run that may not be stored yet is looked at when it is armed.
      const armed = [...hinted].filter((entry) => entry.armed).slice(0, looksPerStatement)
      for (const entry of armed) hinted.delete(entry)
      if (armed.length > 0) await lookAt(armed)
      if (armed.length === looksPerStatement) hints.call()
    },
    onError: (error) => deps.log.warn('feed could not look', { error }),
  })

  const hint = (entry: Entry): void => {
    hinted.add(entry)
    if (entry.armed) hints.call()
  }

  const look = async (): Promise<void> => {
    const nowMs = performance.now()
    const everyMs = deps.lookEveryMs ?? (deps.pubSub.isUp() ? lookEveryMs : lookEveryMsWithoutPubSub)
    if (looking || nowMs - lookedAtMs < everyMs) return
    looking = true
    lookedAtMs = nowMs
    try {
      for (const [channel, { armed, sinceMs }] of entries) {
        if (!armed && nowMs - sinceMs > maxUnarmedMs) forget(channel)
      }
      const armed = [...entries.values()].filter((entry) => entry.armed)
      for (let at = 0; at < armed.length; at += looksPerStatement) await lookAt(armed.slice(at, at + looksPerStatement))
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => deps.log.warn('feed could not look', { error }))
  }, 250)

  const publish = (org: string, runId: string, news: News): void => {
    deps.pubSub.publish(channelOf(org, runId), encode(org, runId, news))
  }

  const encode = (org: string, runId: string, news: News): string => {
    const { seq, ended, parked } = news
    if (!deps.seal) return String(seq)
    const whole = textSize(news) <= maxMessageChars ? JSON.stringify(news) : null
    const text = whole !== null && whole.length <= maxMessageChars ? whole : JSON.stringify({ seq, ended, parked })
    return deps.seal.seal(subjectOf(org, runId), text)
  }

  const publishUntold = (): void => {
    telling = undefined
    for (const { org, runId, news } of untold.values()) publish(org, runId, news)
    untold.clear()
  }

  const hear = (channel: string, message: string): void => {
    const entry = entries.get(channel)
    if (!entry) return
    const text = deps.seal?.open(subjectOf(entry.org, entry.runId), message) ?? null
    if (text === null) {
      hint(entry)
      return
    }
    const { parked, ...news } = JSON.parse(text) as News
    deliver(entry, news)
    // An old message could be repeated after the run has continued, so the database is asked whether it still waits.
    if (parked) hint(entry)
  }

  const forget = (channel: string): void => {
    const entry = entries.get(channel)
    if (entry) hinted.delete(entry)
    entries.delete(channel)
    deps.pubSub.unsubscribe(channel)
  }

  const follow = (org: string, runId: string): Entry => {
    const channel = channelOf(org, runId)
    const known = entries.get(channel)
    if (known) return known
    const entry: Entry = {
      org,
      runId,
      listeners: new Set(),
      armed: false,
      heard: 0,
      sinceMs: performance.now(),
      subscribed: deps.pubSub.subscribe(channel, (message) => hear(channel, message)),
    }
    entries.set(channel, entry)
    return entry
  }

  const watch = async (org: string, runId: string, listener: Listener): Promise<Watch> => {
    const entry = follow(org, runId)
    entry.listeners.add(listener)
    const close = (): void => {
      entry.listeners.delete(listener)
      const channel = channelOf(org, runId)
      if (entry.listeners.size === 0 && entries.get(channel) === entry) forget(channel)
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
        if (hinted.has(entry)) hints.call()
      },
      close,
    }
  }

  return {
    tell: (org, runId, news) => {
      if (news.ended || news.parked || news.frames) {
        untold.delete(runId)
        return publish(org, runId, news)
      }
      // A bare number that is superseded within the same tick is not published: the last one suffices.
      untold.set(runId, { org, runId, news })
      telling ??= setTimeout(publishUntold, tellWithinMs)
    },
    follow: async (org, runId) => {
      let settle: (run: WireRun | null) => void = () => undefined
      const settled = new Promise<WireRun | null>((resolve) => {
        settle = resolve
      })
      const following = watch(org, runId, ({ ended, parked, run }) => {
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
      hints.close()
    },
  }
}

/** Redis sees which runs are followed, as opaque ids, and how often something happens to them. */
const channelOf = (org: string, runId: string): string => `run:${org}:${runId}`

const subjectOf = (org: string, runId: string): readonly string[] => ['run', org, runId]

import { createCoalesced } from '@ars/platform/coalesced'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { eventsBounds } from './bounds.ts'
import { listLastPositions } from './event-position.store.ts'
import type { HistoryWatch } from './history-watch.service.ts'

/** `hear`: there may be new events. `goBack`: positions went back behind the one that it reached. */
export type EventListener = { hear(): void; reached(): number; goBack(): void }

/**
 * How a process learns that an organisation has new events: one subscription per organisation. Messages may be lost,
 * so every few seconds one query checks all organisations that have listeners here.
 */
export type EventFeed = {
  /** An organisation has one listener at a time. It may be called without need. Answers a function that removes it. */
  watch(org: string, listener: EventListener): Promise<() => void>
  close(): void
}

const lookEveryMs = 5_000
const lookEveryMsWithoutPubSub = 1_000
const looksPerStatement = eventsBounds.feedsLookedAt.count
const hintsEveryMs = 20

type Entry = { listener: EventListener; heard: number }

export const createEventFeed = (deps: {
  feedReads: Database
  pubSub: PubSub
  /** Undefined: nothing is streamed here. */
  history?: Pick<HistoryWatch, 'onWentBack' | 'onClosed'> | undefined
  log: Log
  /** Of looks into the database. Omitted: by whether notifications arrive. */
  lookEveryMs?: number
}): EventFeed => {
  const entries = new Map<string, Entry>()
  let lookedAtMs = performance.now()
  let looking = false
  let timer: NodeJS.Timeout | undefined

  const goBack = (entry: Entry): void => {
    entry.heard = 0
    entry.listener.goBack()
  }
  deps.history?.onWentBack(() => {
    for (const entry of entries.values()) goBack(entry)
  })
  // Streams end: the cell to which the organisation moves continues them.
  deps.history?.onClosed((orgs) => {
    for (const [org, entry] of entries) if (orgs.has(org)) goBack(entry)
  })

  const lookAt = async (orgs: readonly string[]): Promise<void> => {
    // The positions are noted before the query, because the query must find at least these.
    const reached = new Map(orgs.map((org) => [org, entries.get(org)?.listener.reached() ?? 0]))
    for (const [org, position] of await listLastPositions(deps.feedReads, orgs)) {
      const entry = entries.get(org)
      if (!entry) continue
      if (position < (reached.get(org) ?? 0)) goBack(entry)
      if (position <= entry.heard) continue
      entry.heard = position
      entry.listener.hear()
    }
  }

  const look = async (): Promise<void> => {
    const nowMs = performance.now()
    const everyMs = deps.lookEveryMs ?? (deps.pubSub.isUp() ? lookEveryMs : lookEveryMsWithoutPubSub)
    if (looking || nowMs - lookedAtMs < everyMs) return
    looking = true
    lookedAtMs = nowMs
    try {
      const orgs = [...entries.keys()]
      for (let at = 0; at < orgs.length; at += looksPerStatement) await lookAt(orgs.slice(at, at + looksPerStatement))
    } catch (error) {
      deps.log.warn('event feed could not look', { error })
    } finally {
      looking = false
    }
  }

  const close = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    watch: async (org, listener) => {
      const entry = { listener, heard: 0 }
      entries.set(org, entry)
      timer ??= setInterval(() => void look(), 250)
      // A message is a hint: events are read from the database. Forged ones must not become a flood of queries.
      const hints = createCoalesced({
        work: listener.hear,
        everyMs: hintsEveryMs,
        onError: (error) => deps.log.warn('event feed could not look', { error }),
      })
      await deps.pubSub.subscribe(channelOf(org), hints.call)
      return () => {
        hints.close()
        if (entries.get(org) !== entry) return
        entries.delete(org)
        deps.pubSub.unsubscribe(channelOf(org))
        if (entries.size === 0) close()
      }
    },
    close,
  }
}

/** The channel on which newly assigned positions are published. */
export const channelOf = (org: string): string => `events:${org}`

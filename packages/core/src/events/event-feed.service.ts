import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Wakeups } from '@ars/platform/redis/redis'
import { listLastPositions } from './event-place.store.ts'

/**
 * How a process hears that an organisation has new events: one subscription for each, however many listen. Wake-ups may be
 * lost, so every few seconds one query looks after all organisations that are listened to here.
 */
export type EventFeed = {
  /** There is one listener for an organisation at a time. It may be told without need. Answers how to stop. */
  watch(org: string, listener: () => void): Promise<() => void>
  close(): void
}

const lookEveryMs = 5_000
const lookEveryMsWithoutWakeups = 1_000
const looksPerStatement = 500

type Entry = { listener: () => void; heard: number }

export const createEventFeed = (deps: { system: Database; wakeups: Wakeups; log: Log }): EventFeed => {
  const entries = new Map<string, Entry>()
  let lookedAtMs = performance.now()
  let looking = false
  let timer: NodeJS.Timeout | undefined

  const lookAt = async (orgs: readonly string[]): Promise<void> => {
    for (const [org, position] of await listLastPositions(deps.system, orgs)) {
      const entry = entries.get(org)
      if (!entry || position <= entry.heard) continue
      entry.heard = position
      entry.listener()
    }
  }

  const look = async (): Promise<void> => {
    const nowMs = performance.now()
    const everyMs = deps.wakeups.isUp() ? lookEveryMs : lookEveryMsWithoutWakeups
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
      await deps.wakeups.subscribe(channelOf(org), listener)
      return () => {
        if (entries.get(org) !== entry) return
        entries.delete(org)
        deps.wakeups.unsubscribe(channelOf(org))
        if (entries.size === 0) close()
      }
    },
    close,
  }
}

/** Whoever gives events their places says so here. */
export const channelOf = (org: string): string => `events:${org}`

import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { type EventClock, readEventClock } from './event-clock.store.ts'

/**
 * Notices that the history of the database went back: after a restore, or a fail-over to a standby that did not receive the
 * last commits. Positions and numbers that this process knows may then belong to other events, so all streams must be closed.
 */
export type HistoryWatch = {
  /** The listener must not throw. */
  onWentBack(listener: () => void): void
  /** Called for as long as there are closed organisations. The listener ends what waits for news of them, and must not throw. */
  onClosed(listener: (orgs: ReadonlySet<string>) => void): void
  close(): void
}

const lookEveryMs = 5_000
const lookEveryMsWithoutPubSub = 1_000
const tickMs = 250
/** A message on it says that an organisation was closed. */
export const closedChannel = 'organisations:closed'

export const createHistoryWatch = (deps: {
  feedReads: Database
  pubSub: Pick<PubSub, 'isUp' | 'subscribe' | 'unsubscribe'>
  log: Log
  lookEveryMs?: number
}): HistoryWatch => {
  const listeners = new Set<() => void>()
  const closedListeners = new Set<(orgs: ReadonlySet<string>) => void>()
  let known: EventClock | null = null
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let isLooking = false

  const look = async (): Promise<void> => {
    const nowMs = performance.now()
    const everyMs = deps.pubSub.isUp() ? (deps.lookEveryMs ?? lookEveryMs) : lookEveryMsWithoutPubSub
    if (isLooking || nowMs - lookedAtMs < everyMs) return
    isLooking = true
    lookedAtMs = nowMs
    try {
      const found = await readEventClock(deps.feedReads)
      const before = known
      known = found ?? known
      if (found && found.closedOrgs.length > 0) {
        const orgs = new Set(found.closedOrgs)
        for (const listener of closedListeners) listener(orgs)
      }
      if (!found || !before || !wentBack(before, found)) return
      deps.log.warn('the history of the database went back; streams are closed')
      for (const listener of listeners) listener()
    } catch (error) {
      deps.log.warn('the epoch of events could not be read', { error })
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), tickMs)
  // A hint. A forged one costs no more than a look every tick.
  deps.pubSub
    .subscribe(closedChannel, () => {
      lookedAtMs = Number.NEGATIVE_INFINITY
    })
    .catch((error: unknown) => deps.log.warn('closed organisations are looked for without hints', { error }))

  return {
    onWentBack: (listener) => void listeners.add(listener),
    onClosed: (listener) => void closedListeners.add(listener),
    close: () => {
      clearInterval(timer)
      deps.pubSub.unsubscribe(closedChannel)
    },
  }
}

const wentBack = (before: EventClock, now: EventClock): boolean =>
  now.epoch !== before.epoch || now.position < before.position

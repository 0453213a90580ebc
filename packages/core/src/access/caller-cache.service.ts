import type { Clock } from '@ars/platform/clock'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Found } from './caller.ts'

/**
 * Who was found by a credential, for a few seconds. Whoever changes what an answer depends on tells it, here and over
 * wake-ups in every other process; a wake-up that is lost costs those few seconds.
 */
export type CallerCache = {
  /** By the hash of the credential. */
  find(hash: string): Found | null
  /** Asks, once for all who want the same at the same moment, and remembers what was found. A stranger is not kept. */
  ask(hash: string, lookUp: () => Promise<Found | null>): Promise<Found | null>
  /** Forgets, in every process, all that depends on this key, session, person or organisation (a UUID). */
  forget(uuid: string): void
  close(): void
}

// A revoked key must stop everywhere within 5 s, also without wake-ups; this is the longest that a process believes
// what it read.
const believedMs = 4_000
const rememberedMost = 10_000
const channel = 'access:changed'

type Remembered = { found: Found; untilMs: number }

export const createCallerCache = (deps: { clock: Clock; wakeups: Wakeups | undefined }): CallerCache => {
  const remembered = new Map<string, Remembered>()
  // It holds no more than there are requests that wait for the database.
  const asked = new Map<string, Promise<Found | null>>()
  let changes = 0

  const drop = (uuid: string): void => {
    // An answer that is on its way may have been read before the change: it is used, and not kept.
    changes += 1
    asked.clear()
    for (const [hash, { found }] of remembered) if (found.dependsOn.includes(uuid)) remembered.delete(hash)
  }
  void deps.wakeups?.subscribe(channel, drop)

  const remember = (hash: string, found: Found, sinceMs: number): void => {
    remembered.delete(hash)
    const oldest = remembered.size < rememberedMost ? undefined : remembered.keys().next().value
    if (oldest !== undefined) remembered.delete(oldest)
    // Counted from before the question, so that nothing is believed beyond its end.
    remembered.set(hash, { found, untilMs: sinceMs + Math.min(believedMs, found.livesMs ?? believedMs) })
  }

  const lookUpNow = async (hash: string, lookUp: () => Promise<Found | null>): Promise<Found | null> => {
    const sinceMs = deps.clock.monotonicMs()
    const changesBefore = changes
    const found = await lookUp()
    if (found && changes === changesBefore) remember(hash, found, sinceMs)
    return found
  }

  return {
    find: (hash) => {
      const known = remembered.get(hash)
      if (!known) return null
      if (known.untilMs > deps.clock.monotonicMs()) return known.found
      remembered.delete(hash)
      return null
    },
    ask: (hash, lookUp) => {
      const already = asked.get(hash)
      if (already !== undefined) return already
      const answer = lookUpNow(hash, lookUp).finally(() => {
        if (asked.get(hash) === answer) asked.delete(hash)
      })
      asked.set(hash, answer)
      return answer
    },
    forget: (uuid) => {
      drop(uuid)
      deps.wakeups?.publish(channel, uuid)
    },
    close: () => {
      deps.wakeups?.unsubscribe(channel)
      remembered.clear()
    },
  }
}

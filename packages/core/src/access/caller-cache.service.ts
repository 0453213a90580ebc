import type { Clock } from '@ars/platform/clock'
import { createPerSecondLimit } from '@ars/platform/per-second-limit'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { accessBounds } from './bounds.ts'
import type { Found } from './caller.ts'

/**
 * Callers by credential, cached for a few seconds. Changes are announced here and over pub-sub to every process; a
 * lost message costs those few seconds.
 */
export type CallerCache = {
  /** By the hash of the credential. */
  find(hash: string): Found | null
  /**
   * Looks up once for all concurrent requests with the same credential, and caches the result. Invalid credentials
   * are not cached.
   */
  ask(hash: string, lookUp: () => Promise<Found | null>): Promise<Found | null>
  /** Drops, in every process, everything that depends on this key, session, person or organisation (a UUID). */
  forget(uuid: string): void
  close(): void
}

// A revoked key must be rejected everywhere within 5 s, also without pub-sub; this is the longest time that a process
// trusts a cached answer.
const believedMs = 4_000
const maxRemembered = accessBounds.callersKnown.count
const channel = 'access:changed'
const maxHeardPerSecond = accessBounds.callerChangesHeard.count

type Remembered = { found: Found; untilMs: number }

export const createCallerCache = (deps: { clock: Clock; pubSub: PubSub | undefined }): CallerCache => {
  const remembered = new Map<string, Remembered>()
  // It holds no more than there are requests that wait for the database.
  const asked = new Map<string, Promise<Found | null>>()
  let changes = 0

  const drop = (uuid: string): void => {
    // An answer in flight may have been read before the change: it is used once and not cached.
    changes += 1
    asked.clear()
    for (const [hash, { found }] of remembered) if (found.dependsOn.includes(uuid)) remembered.delete(hash)
  }
  // Messages may be forged: each costs look-ups, never a wrong answer. Beyond this rate they are ignored, and a change
  // takes effect when the cached answer expires.
  const heard = createPerSecondLimit(deps.clock, maxHeardPerSecond)
  void deps.pubSub?.subscribe(channel, (uuid) => {
    if (heard.take()) drop(uuid)
  })

  const remember = (hash: string, found: Found, sinceMs: number): void => {
    remembered.delete(hash)
    const oldest = remembered.size < maxRemembered ? undefined : remembered.keys().next().value
    if (oldest !== undefined) remembered.delete(oldest)
    // Counted from before the query, so that nothing is trusted beyond its end.
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
      deps.pubSub?.publish(channel, uuid)
    },
    close: () => {
      deps.pubSub?.unsubscribe(channel)
      remembered.clear()
    },
  }
}

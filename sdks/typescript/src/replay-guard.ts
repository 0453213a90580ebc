/**
 * Remembers processed deliveries. The service can send an event more than once, and an attacker can replay one. A
 * receiver that claims each id first acts once.
 */
export type ReplayGuard = {
  /** True the first time, false for an id that is already claimed. */
  claim(id: string): boolean
  /** Releases an id after a failure, so that the next delivery is processed. */
  release(id: string): void
}

const defaultMax = 10_000

/** Keeps the newest `max` ids in memory. With several processes, store them in your database. */
export const createReplayGuard = ({ max = defaultMax }: { max?: number } = {}): ReplayGuard => {
  const seen = new Set<string>()
  return {
    claim: (id) => {
      if (seen.has(id)) return false
      seen.add(id)
      const [oldest] = seen
      if (seen.size > max && oldest !== undefined) seen.delete(oldest)
      return true
    },
    release: (id) => {
      seen.delete(id)
    },
  }
}

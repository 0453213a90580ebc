/**
 * Remembers which deliveries were dealt with. The service sends an event again when it was not sure of the first time, and so
 * may somebody who has caught a delivery on its way: a receiver that claims each id first acts once.
 */
export type ReplayGuard = {
  /** True the first time, false for an id that was claimed before. */
  claim(id: string): boolean
  /** Gives an id back, because what it stood for failed and shall be done when it comes again. */
  release(id: string): void
}

const defaultMax = 10_000

/** In the memory of one process, the newest `max` ids; a receiver of several processes keeps them in its database. */
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

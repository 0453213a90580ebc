/** At most some works of each key at a time. The others of the key wait in order. */
export type KeyedTurns = {
  /**
   * After `entered`, `leave` must follow. `full`: too many wait already. `late`: it waited for `mostMs`. Rejects with the
   * reason of an aborted signal.
   */
  enter(key: string, wait: { mostMs?: number; signal?: AbortSignal }): Promise<'entered' | 'full' | 'late'>
  leave(key: string): void
}

export const createKeyedTurns = (permits: number, { maxWaiting }: { maxWaiting: number }): KeyedTurns => {
  // Holds only keys with work.
  const keys = new Map<string, { running: number; waiting: Set<() => void> }>()
  return {
    enter: async (key, { mostMs, signal }) => {
      signal?.throwIfAborted()
      const state = keys.get(key) ?? { running: 0, waiting: new Set() }
      keys.set(key, state)
      if (state.running < permits) {
        state.running++
        return 'entered'
      }
      if (state.waiting.size >= maxWaiting) return 'full'
      return new Promise((resolve, reject) => {
        // A place must not pass to a waiter that gave up, so each end removes it at once.
        const stopWaiting = (): void => {
          state.waiting.delete(take)
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
        }
        const take = (): void => {
          stopWaiting()
          resolve('entered')
        }
        const abort = (): void => {
          stopWaiting()
          reject(signal?.reason)
        }
        const giveUp = (): void => {
          stopWaiting()
          resolve('late')
        }
        const timer = mostMs === undefined ? undefined : setTimeout(giveUp, mostMs)
        signal?.addEventListener('abort', abort, { once: true })
        state.waiting.add(take)
      })
    },
    leave: (key) => {
      const state = keys.get(key)
      if (!state) return
      const [next] = state.waiting
      // The place passes to the next, so the count stays.
      if (next) next()
      else if (--state.running === 0) keys.delete(key)
    },
  }
}

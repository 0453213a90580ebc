/** At most some calls of each owner at a time. The others wait in order. */
export type Turns = {
  /** False: too many wait already. After true, `leave` must follow. Rejects with the reason of an aborted signal. */
  enter(owner: string, signal: AbortSignal): Promise<boolean>
  leave(owner: string): void
}

export const createTurns = ({ max, maxWaiting }: { max: number; maxWaiting: number }): Turns => {
  const owners = new Map<string, { running: number; waiting: (() => void)[] }>()
  return {
    enter: async (owner, signal) => {
      signal.throwIfAborted()
      const state = owners.get(owner) ?? { running: 0, waiting: [] }
      owners.set(owner, state)
      if (state.running < max) {
        state.running++
        return true
      }
      if (state.waiting.length >= maxWaiting) return false
      await new Promise<void>((resolve, reject) => {
        const take = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve()
        }
        const giveUp = (): void => {
          state.waiting.splice(state.waiting.indexOf(take), 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { once: true })
        state.waiting.push(take)
      })
      return true
    },
    leave: (owner) => {
      const state = owners.get(owner)
      if (!state) return
      const next = state.waiting.shift()
      // The place passes to the next, so the count stays.
      if (next) next()
      else if (--state.running === 0) owners.delete(owner)
    },
  }
}

/**
 * Who comes next when more ask than there are places: each organisation in its turn, in the order in which they came. One
 * that asks for a thousand things at once waits for itself, and the next one's single question is not the 1,001st.
 */
export type Turns = {
  /** A place, if one is free and nobody waits for it. Whoever gets one gives it back. */
  tryTake(): boolean
  /** Resolves to true when it is this one's turn, to false when that took too long. */
  wait(org: string, mostMs: number): Promise<boolean>
  giveBack(): void
}

type Waiting = { call(): void }

export const createTurns = (places: number): Turns => {
  let free = places
  // Nobody is here without waiting, and nobody waits for longer than a request does.
  const queues = new Map<string, Set<Waiting>>()

  const leave = (org: string, one: Waiting): void => {
    const queue = queues.get(org)
    queue?.delete(one)
    if (queue?.size === 0) queues.delete(org)
  }

  return {
    tryTake: () => {
      if (free === 0 || queues.size > 0) return false
      free--
      return true
    },
    wait: (org, mostMs) =>
      new Promise((resolve) => {
        const one: Waiting = {
          call: () => {
            clearTimeout(timer)
            resolve(true)
          },
        }
        const timer = setTimeout(() => {
          leave(org, one)
          resolve(false)
        }, mostMs)
        const queue = queues.get(org)
        if (queue) queue.add(one)
        else queues.set(org, new Set([one]))
      }),
    giveBack: () => {
      const [next] = queues
      if (!next) {
        free++
        return
      }
      const [org, queue] = next
      const [one] = queue
      leave(org, one as Waiting)
      // Behind all others, if it has more to ask.
      if (queues.delete(org)) queues.set(org, queue)
      one?.call()
    },
  }
}

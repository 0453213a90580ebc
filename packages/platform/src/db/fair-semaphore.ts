/**
 * A semaphore that is fair across organisations: waiters are served round-robin by organisation. An organisation with a
 * thousand requests does not delay the single request of another.
 */
export type FairSemaphore = {
  /** Takes a slot if one is free and no one waits. The caller releases it. */
  tryAcquire(): boolean
  /** Resolves to true with a slot, or to false after the timeout, if there is one. */
  acquire(org: string, mostMs?: number): Promise<boolean>
  release(): void
  waiting(): number
}

type Waiting = { call(): void }

export const createFairSemaphore = (permits: number): FairSemaphore => {
  let free = permits
  // Holds only organisations with waiters. Their callers bound the number of waiters.
  const queues = new Map<string, Set<Waiting>>()

  const leave = (org: string, waiter: Waiting): void => {
    const queue = queues.get(org)
    queue?.delete(waiter)
    if (queue?.size === 0) queues.delete(org)
  }

  return {
    tryAcquire: () => {
      if (free === 0 || queues.size > 0) return false
      free--
      return true
    },
    acquire: (org, mostMs) =>
      new Promise((resolve) => {
        const waiter: Waiting = {
          call: () => {
            clearTimeout(timer)
            resolve(true)
          },
        }
        const giveUp = (): void => {
          leave(org, waiter)
          resolve(false)
        }
        const timer = mostMs === undefined ? undefined : setTimeout(giveUp, mostMs)
        const queue = queues.get(org)
        if (queue) queue.add(waiter)
        else queues.set(org, new Set([waiter]))
      }),
    release: () => {
      const [next] = queues
      if (!next) {
        free++
        return
      }
      const [org, queue] = next
      const [waiter] = queue
      leave(org, waiter as Waiting)
      // Moves to the end if the organisation has more waiters.
      if (queues.delete(org)) queues.set(org, queue)
      waiter?.call()
    },
    waiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.size, 0),
  }
}

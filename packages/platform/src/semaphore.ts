/** A semaphore: at most `max` tasks run concurrently; waiters are served in order. */
export const createSemaphore = (most: number): (<Result>(work: () => Promise<Result>) => Promise<Result>) => {
  const waiting: (() => void)[] = []
  let underWay = 0
  return async (work) => {
    // The slot passes to the next waiter, so the count stays.
    if (underWay < most) underWay++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}

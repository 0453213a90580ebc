/** Lets so many works be under way at once; the others wait in the order in which they came. */
export const createTurns = (most: number): (<Result>(work: () => Promise<Result>) => Promise<Result>) => {
  const waiting: (() => void)[] = []
  let underWay = 0
  return async (work) => {
    // Whoever leaves hands its place on, so nobody who comes in between can take it.
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

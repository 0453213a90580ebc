/** A narrow way: one at a time. */
export type Lane = {
  /** Waits for its turn, does the work, and lets the next one in when it ends or has lasted `exclusiveMs`. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>
}

export const createLane = ({ exclusiveMs }: { exclusiveMs: number }): Lane => {
  let last: Promise<void> = Promise.resolve()
  return {
    pass: async (work) => {
      const before = last
      let leave: () => void = () => undefined
      last = new Promise((resolve) => {
        leave = resolve
      })
      await before
      const timer = setTimeout(leave, exclusiveMs)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        leave()
      }
    },
  }
}

/** Runs one task at a time. */
export type ExclusiveSection = {
  /** Runs the task when the previous one has ended or has run for `exclusiveMs`. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>
}

export const createExclusiveSection = ({ exclusiveMs }: { exclusiveMs: number }): ExclusiveSection => {
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

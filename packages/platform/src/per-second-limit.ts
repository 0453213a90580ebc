import type { Clock } from './clock.ts'

/** Permits at most `most` per second of the clock. */
export const createPerSecondLimit = (clock: Clock, most: number): { take(): boolean } => {
  let second = Number.NaN
  let taken = 0
  return {
    take: () => {
      const now = Math.floor(clock.monotonicMs() / 1_000)
      if (now !== second) {
        second = now
        taken = 0
      }
      return ++taken <= most
    },
  }
}

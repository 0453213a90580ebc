/** Time comes through here, so that a test can move it. Dates from `now`, durations from `monotonicMs`. */
export interface Clock {
  now(): Date
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}

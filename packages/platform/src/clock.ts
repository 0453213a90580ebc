/** The clock of the process, which tests can move. Use `now` for dates and `monotonicMs` for durations. */
export type Clock = {
  now(): Date
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}

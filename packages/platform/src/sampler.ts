import type { Clock } from './clock.ts'

/** Admits a few events of each key in each minute, for records that strangers can cause. */
export type Sampler = { admits(key: string): boolean }

/** `maxKeys`: further keys are not admitted until the minute ends, so that the memory is bounded. */
export const createSampler = ({ clock, perMinute, maxKeys }: Options): Sampler => {
  const counts = new Map<string, number>()
  let sinceMs = clock.monotonicMs()
  return {
    admits: (key) => {
      const nowMs = clock.monotonicMs()
      if (nowMs - sinceMs >= 60_000) {
        counts.clear()
        sinceMs = nowMs
      }
      const count = counts.get(key) ?? 0
      if (count >= perMinute || (count === 0 && counts.size >= maxKeys)) return false
      counts.set(key, count + 1)
      return true
    },
  }
}

type Options = { clock: Pick<Clock, 'monotonicMs'>; perMinute: number; maxKeys: number }

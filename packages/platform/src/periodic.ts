import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log/log.ts'

/** A periodic background job. Every process runs it; sweeps claim rows with `skip locked`. */
export type Sweep = { name: string; everyMs: number; run(): Promise<void> }

const retryAfterMs = 5_000

/** Runs each sweep periodically, never concurrently with itself, until closed. Failures are logged and retried. */
export const startSweeps = (sweeps: readonly Sweep[], log: Log): { close(): Promise<void> } => {
  const stop = new AbortController()
  const loop = async ({ name, everyMs, run }: Sweep): Promise<void> => {
    while (!stop.signal.aborted) {
      const pauseMs = await run().then(
        () => everyMs,
        (error: unknown) => {
          log.warn('sweep failed', { sweep: name, error })
          return Math.min(everyMs, retryAfterMs)
        },
      )
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const loops = sweeps.map(loop)
  return {
    close: async () => {
      stop.abort()
      await Promise.all(loops)
    },
  }
}

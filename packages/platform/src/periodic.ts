import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log/log.ts'

/** Work that comes round. Every process runs its own; what a sweep takes, it takes with `skip locked`. */
export type Sweep = { name: string; everyMs: number; run(): Promise<void> }

const retryAfterMs = 5_000

/** Runs each sweep again and again, never twice at once, until closed. A failure is told and tried again. */
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

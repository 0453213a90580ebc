import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log/log.ts'

/** A periodic background job. Every process runs it; sweeps claim rows with `skip locked`. */
export type Sweep = { name: string; everyMs: number; run(): Promise<void> }

const retryAfterMs = 5_000

/** A worker that stops waits for the end of a round, so a round is bounded. */
const maxPagesPerRound = 50

/** Repeats a page of work until one is not full. `work` returns the number of rows that it finished. */
export const whilePagesAreFull = async (pageSize: number, work: () => Promise<number>): Promise<void> => {
  for (let pages = 0; pages < maxPagesPerRound && (await work()) === pageSize; pages++);
}

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

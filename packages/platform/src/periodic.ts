import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log/log.ts'

/** Work that comes round. Every process runs its own; what a sweep takes, it takes with `skip locked`. */
export type Sweep = { name: string; everyMs: number; run(): Promise<void> }

/** Runs each sweep again and again, never twice at once, until closed. A failure is told and tried again. */
export const startSweeps = (sweeps: readonly Sweep[], log: Log): { close(): Promise<void> } => {
  const stop = new AbortController()
  const loop = async ({ name, everyMs, run }: Sweep): Promise<void> => {
    while (!stop.signal.aborted) {
      await run().catch((error: unknown) => log.warn('sweep failed', { sweep: name, error }))
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined)
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

import { setTimeout as sleep } from 'node:timers/promises'
import { platformBounds } from './bounds.ts'
import type { Log } from './log/log.ts'
import { createSemaphore } from './semaphore.ts'

/** A periodic background job. Every process runs it; sweeps claim rows with `skip locked`. */
export type Sweep = { name: string; everyMs: number; run(): Promise<void> }

const retryAfterMs = 5_000

/** A worker that stops waits for the end of a round, so a round is bounded. */
const maxPagesPerRound = platformBounds.sweepPages.count

/** Repeats a page of work until one is not full. `work` returns the number of rows that it finished. */
export const whilePagesAreFull = async (pageSize: number, work: () => Promise<number>): Promise<void> => {
  for (let pages = 0; pages < maxPagesPerRound && (await work()) === pageSize; pages++);
}

/**
 * The first rounds take turns: a process that starts has opened few connections, and all sweeps together would wait for them
 * in vain. A round that takes long does not hold up the others for longer than this.
 */
const maxFirstRounds = platformBounds.firstSweeps.count
const maxFirstRoundMs = platformBounds.firstSweepRound.ms

/** For the metrics: a round of a sweep has ended. */
export type OnRound = (sweep: Sweep, outcome: 'done' | 'failed') => void

/** Runs each sweep periodically, never concurrently with itself, until closed. Failures are logged and retried. */
export const startSweeps = (
  sweeps: readonly Sweep[],
  log: Log,
  onRound: OnRound = () => undefined,
): { close(): Promise<void> } => {
  const stop = new AbortController()
  const inTurn = createSemaphore(maxFirstRounds)
  const round = (sweep: Sweep): Promise<number> =>
    sweep.run().then(
      () => {
        onRound(sweep, 'done')
        return sweep.everyMs
      },
      (error: unknown) => {
        onRound(sweep, 'failed')
        log.warn('sweep failed', { sweep: sweep.name, error })
        return Math.min(sweep.everyMs, retryAfterMs)
      },
    )
  const firstRound = async (sweep: Sweep): Promise<number> => {
    let begun: Promise<number> | undefined
    await inTurn(async () => {
      if (stop.signal.aborted) return
      begun = round(sweep)
      let timer: NodeJS.Timeout | undefined
      const bound = new Promise((resolve) => {
        timer = setTimeout(resolve, maxFirstRoundMs)
      })
      await Promise.race([begun, bound])
      clearTimeout(timer)
    })
    return begun ?? sweep.everyMs
  }
  const loop = async (sweep: Sweep): Promise<void> => {
    let next: (due: Sweep) => Promise<number> = firstRound
    while (!stop.signal.aborted) {
      const pauseMs = await next(sweep)
      next = round
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

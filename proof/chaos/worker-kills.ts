import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './scenario.ts'

/** kill -9 of one worker after the other at this interval, until it is stopped. */
export const killWorkers = (
  { fleet, random, hopeless }: Stage,
  { everyMs, most = Number.POSITIVE_INFINITY }: { everyMs: number; most?: number },
): { readonly kills: number; stop(): Promise<void> } => {
  const names = random.shuffle(fleet.workers.map(({ name }) => name))
  const stopped = new AbortController()
  const signal = AbortSignal.any([stopped.signal, hopeless])
  let kills = 0
  const work = async (): Promise<void> => {
    while (kills < most) {
      await sleep(everyMs, undefined, { signal })
      const name = names[kills % names.length] ?? ''
      // Another scenario on the same stack may have been quicker, or its start may take long.
      while (!fleet.supervision.isUp(name)) await sleep(50, undefined, { signal })
      await fleet.supervision.kill(name)
      kills++
    }
  }
  const working = work().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    get kills() {
      return kills
    },
    stop: async () => {
      stopped.abort()
      await working
    },
  }
}

/** Counts the kills of workers from now on, whichever scenario of the stack ordered them. */
export const countWorkerKills = ({ fleet }: Stage): (() => number) => {
  const names = new Set(fleet.workers.map(({ name }) => name))
  const count = (): number =>
    fleet.supervision.outages.filter(({ part, cause }) => cause === 'killed' && names.has(part)).length
  const before = count()
  return () => count() - before
}

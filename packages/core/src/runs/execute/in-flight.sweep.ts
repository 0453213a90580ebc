import { createCoalesced } from '@ars/platform/coalesced'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { listActive } from './in-flight.store.ts'
import type { InFlight } from './in-flight.ts'

type Deps = { system: Database; inFlight: InFlight }

/**
 * Finds runs that this worker still executes although they have ended or moved on, in case a pub-sub message was
 * lost.
 */
export const inFlightSweep = (deps: Deps): Sweep => ({
  name: 'executing',
  everyMs: 1000,
  run: () => stopEnded(deps, deps.inFlight.list()),
})

const stopEnded = async ({ system }: Deps, inFlight: ReturnType<InFlight['list']>): Promise<void> => {
  if (inFlight.length === 0) return
  const active = await listActive(
    system,
    inFlight.map(({ runId }) => runId),
  )
  const epochs = new Map(
    active.filter(({ status }) => status === 'running').map(({ run_id, epoch }) => [run_id, epoch]),
  )
  for (const { runId, epoch, stop } of inFlight) if (epochs.get(runId) !== epoch) stop()
}

const stopsEveryMs = 50

/**
 * Requests to stop a run come over Redis, which is not trusted: anybody there could abort a step. So a request is a
 * hint, and the run is stopped if the database says that it has ended or moved on.
 */
export const createStopRequests = (deps: Deps & { log: Log }): { hear(runId: string): void; close(): void } => {
  const asked = new Set<string>()
  const looks = createCoalesced({
    everyMs: stopsEveryMs,
    work: async () => {
      const ids = new Set(asked)
      asked.clear()
      await stopEnded(
        deps,
        deps.inFlight.list().filter(({ runId }) => ids.has(runId)),
      )
    },
    onError: (error) => deps.log.warn('runs to stop could not be looked at', { error }),
  })
  return {
    hear: (runId) => {
      // Only runs that are executed here are remembered, so forged ids take no memory.
      if (!deps.inFlight.has(runId)) return
      asked.add(runId)
      looks.call()
    },
    close: looks.close,
  }
}

import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { listActive } from './in-flight.store.ts'
import type { InFlight } from './in-flight.ts'

/**
 * Finds runs that this worker still executes although they have ended or moved on, in case a pub-sub message was
 * lost.
 */
export const inFlightSweep = (deps: { system: Database; inFlight: InFlight }): Sweep => ({
  name: 'executing',
  everyMs: 1000,
  run: async () => {
    const inFlight = deps.inFlight.list()
    if (inFlight.length === 0) return
    const active = await listActive(
      deps.system,
      inFlight.map(({ runId }) => runId),
    )
    const epochs = new Map(
      active.filter(({ status }) => status === 'running').map(({ run_id, epoch }) => [run_id, epoch]),
    )
    for (const { runId, epoch, stop } of inFlight) if (epochs.get(runId) !== epoch) stop()
  },
})

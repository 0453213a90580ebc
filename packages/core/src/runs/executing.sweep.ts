import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { Executing } from './executing.ts'
import { listActive } from './sweep.store.ts'

/** Finds the runs that this worker still executes although they have ended or moved on, should no wake-up tell. */
export const executingSweep = (deps: { system: Database; executing: Executing }): Sweep => ({
  name: 'executing',
  everyMs: 1000,
  run: async () => {
    const executing = deps.executing.list()
    if (executing.length === 0) return
    const active = await listActive(
      deps.system,
      executing.map(({ runId }) => runId),
    )
    const epochs = new Map(
      active.filter(({ status }) => status === 'running').map(({ run_id, epoch }) => [run_id, epoch]),
    )
    for (const { runId, epoch, stop } of executing) if (epochs.get(runId) !== epoch) stop()
  },
})

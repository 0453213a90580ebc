import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { deleteOldTrials } from './trial.store.ts'

/** Deletes trials after their time, and their samples with the runs that they quote. */
export const oldTrialSweep = (deps: { system: Database; days: number }): Sweep => ({
  name: 'old-policy-trials',
  everyMs: 600_000,
  run: () => deleteOldTrials(deps.system, { days: deps.days }),
})

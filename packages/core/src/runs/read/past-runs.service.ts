import type { Database } from '@ars/platform/db/database'
import type { PastRuns } from '../../guardrails/index.ts'
import { countPastRuns, listPastRuns } from './past-run.store.ts'

/** Ended runs for trials of policies. They are only read. */
export const createPastRuns = ({ app }: { app: Database }): PastRuns => ({
  read: (org, page) => listPastRuns(app, org, page),
  count: (org, range) => countPastRuns(app, org, range),
})

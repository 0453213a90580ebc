import type { Database } from '@ars/platform/db/database'
import { inWords, listUsedUp } from '../../budgets/index.ts'
import type { UsedUp } from '../../steps/index.ts'

/** The first of a run's budgets that is used up and lets runs wait. The amounts are not for everybody who reads the run. */
export const findUsedUp = async (app: Database, org: string, ids: readonly string[]): Promise<UsedUp | null> => {
  const [budget] = await listUsedUp(app, org, { ids, actions: ['park'] })
  return budget ? { budgetId: budget.subject_id, message: inWords(budget, { amounts: false }) } : null
}

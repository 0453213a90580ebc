import type { Database } from '@ars/platform/db/database'
import { Fault } from '../fault.ts'
import { listUsedUp } from './budget.store.ts'
import { budgetIdOf, inWords, type SpentBudget } from './budget.ts'

/**
 * Why no more may be spent on these subjects; null: it may. `actions`: of the budgets that refuse it. `amounts`: whether the caller may know
 * those of a budget.
 */
export const findBudgetRefusal = async (
  db: Database,
  org: string,
  {
    ids,
    actions = ['refuse'],
    amounts,
  }: {
    ids: readonly string[]
    actions?: readonly ('refuse' | 'park')[]
    amounts: (budget: SpentBudget) => boolean
  },
): Promise<Fault | null> => {
  const usedUp = await listUsedUp(db, org, { ids, actions })
  const [first] = usedUp
  if (!first) return null
  const details = usedUp.map((budget) => ({
    param: budgetIdOf(budget),
    message: inWords(budget, { amounts: amounts(budget) }),
  }))
  return new Fault('budget_exhausted', details[0]?.message ?? '', { retryAfterSeconds: first.seconds_left, details })
}

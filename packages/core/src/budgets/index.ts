export { budgetApi } from './budget.api.ts'
export { createBudgets, maySeeBudget, ownBudgetOf } from './budget.service.ts'
export {
  addSpend,
  budgetColumns,
  chargeBudgets,
  countSpend,
  findTerms,
  listUsedUp,
  setBudget,
  spentOf,
} from './budget.store.ts'
export {
  type BudgetTerms,
  budgetPatchOf,
  hasChanged,
  inDollars,
  inWords,
} from './budget.ts'
export { reachedSweep } from './reached.sweep.ts'
export { findBudgetRefusal } from './refusal.service.ts'
export {
  addWait,
  type DueBudget,
  endWaits,
  listDueBudgets,
  listWaits,
  lockDueBudget,
  scheduleWaits,
} from './wait.store.ts'

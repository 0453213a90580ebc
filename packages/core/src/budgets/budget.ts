import type { BudgetInput, Budget as WireBudget } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

export type BudgetKind = 'organisation' | 'agent' | 'api_key'

/** What may have a budget, by its UUID: of rotated keys the first one, whose rate limit they share. */
export type BudgetSubject = { readonly kind: BudgetKind; readonly id: string }

/** The columns of `budgetColumns`. */
export type BudgetTerms = {
  readonly monthly_budget_usd: number | null
  readonly budget_action: 'refuse' | 'park' | 'notify'
}

/** A budget with the cost of this month. */
export type SpentBudget = {
  readonly kind: BudgetKind
  readonly subject_id: string
  readonly monthly_usd: number
  readonly action: BudgetTerms['budget_action']
  readonly spent_usd: number
  /** The share that was announced last in this month; 0: none was. */
  readonly reached_percent: number
  readonly resets_at: Date
  readonly seconds_left: number
}

const prefixes = { organisation: 'org', agent: 'ag', api_key: 'key' } as const

export const budgetIdOf = ({ kind, subject_id }: Pick<SpentBudget, 'kind' | 'subject_id'>): WireBudget['id'] =>
  fromUuid(prefixes[kind], subject_id)

export const toWireBudget = (budget: SpentBudget): WireBudget => ({
  id: budgetIdOf(budget),
  object: 'budget',
  monthly_budget_usd: budget.monthly_usd,
  budget_action: budget.action,
  spent_usd: budget.spent_usd,
  reached_percent: budget.reached_percent,
  resets_at: budget.resets_at.toISOString(),
})

/** For people. `amounts`: only some callers may know them. */
export const inWords = (budget: SpentBudget, { amounts }: { amounts: boolean }): string => {
  const spent = amounts ? `: ${inDollars(budget.spent_usd)} of ${inDollars(budget.monthly_usd)}` : ''
  return `The monthly budget of ${budgetIdOf(budget)} is used up${spent}. It is reset at ${budget.resets_at.toISOString()}.`
}

/** Without an exponent, so that small amounts stay readable. */
export const inDollars = (usd: number): string =>
  `$${usd.toLocaleString('en-US', { maximumFractionDigits: 12, useGrouping: false })}`

/** The fields of a request that concern its budget. Undefined: it does not change the budget. */
export const budgetPatchOf = ({ monthly_budget_usd, budget_action }: BudgetInput): BudgetInput | undefined =>
  monthly_budget_usd === undefined && budget_action === undefined ? undefined : { monthly_budget_usd, budget_action }

export const hasChanged = (before: BudgetTerms, after: BudgetTerms): boolean =>
  before.monthly_budget_usd !== after.monthly_budget_usd || before.budget_action !== after.budget_action

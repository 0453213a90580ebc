import type { Budget, BudgetAction } from '@agent-run-service/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'

const maxBudgets = 200

/** The budgets of the organisation, its agents and its API keys, with what was spent. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets'],
  queryFn: () => collect(client.budgets.list({ limit: 100 }), maxBudgets),
  refetchInterval: () => (mayPoll() ? 60_000 : false),
})

const maxKeys = 500

/** API keys for names and choices, newest first. */
export const keyNamesQuery = queryOptions({
  queryKey: ['api-keys', 'names'],
  queryFn: () => collect(client.apiKeys.list({ limit: 100 }), maxKeys),
  staleTime: 60_000,
})

export type BudgetTerms = { monthly_budget_usd: number | null; budget_action?: BudgetAction }

/** Sets the budget of an organisation, an agent or an API key; its id says which. */
export const useSetBudget = (): ((id: Budget['id'], terms: BudgetTerms) => Promise<void>) => {
  const queryClient = useQueryClient()
  return async (id, terms) => {
    if (id.startsWith('org_')) await client.organisation.update(terms)
    else if (id.startsWith('ag_')) await client.agents.update(id, terms)
    else await client.apiKeys.update(id, terms)
    for (const key of ['budgets', 'organisation', 'agents', 'api-keys']) {
      void queryClient.invalidateQueries({ queryKey: [key] })
    }
  }
}

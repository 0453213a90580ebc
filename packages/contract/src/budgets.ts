import { z } from 'zod'
import { Budget, BudgetId } from './budget.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const budgets = {
  list: operation({
    method: 'GET',
    path: '/budgets',
    summary: 'List budgets and what was spent',
    description: 'A key that is limited to some agents sees the budgets of these agents and its own.',
    scope: 'usage:read',
    names: 'agents',
    status: 200,
    input: z.strictObject(Paging(BudgetId)),
    output: listOf(Budget, 'BudgetList'),
    errors: [],
  }),
} as const

import type { contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { BudgetService } from './budget.service.ts'

export const budgetApi = (
  budgets: BudgetService,
): Handlers<typeof contract.budgets, Ctx, { agents: AllowedAgents }> => ({
  list: (ctx, page, within) => budgets.list(ctx, page, within),
})

import type { Budget } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { pageSize, toList } from '../page.ts'
import { listBudgets } from './budget.store.ts'
import { type SpentBudget, toWireBudget } from './budget.ts'

export type BudgetService = {
  list(ctx: Viewer, page: ListBudgets, within: AllowedAgents): Promise<ReturnType<typeof toList<Budget>>>
}

type Viewer = Pick<Ctx, 'org' | 'actor' | 'bucket'>
type ListBudgets = { limit?: number | undefined; after?: Budget['id'] | undefined; before?: Budget['id'] | undefined }

export const createBudgets = ({ app }: { app: Database }): BudgetService => ({
  list: async (ctx, page, { ids }) => {
    const rows = await listBudgets(app, ctx.org, {
      after: page.after === undefined ? null : toUuid(page.after),
      before: page.before === undefined ? null : toUuid(page.before),
      only: ids && [...ids, ...ownBudgetOf(ctx)],
      limit: pageSize(page) + 1,
    })
    return toList(rows.map(toWireBudget), page)
  },
})

/** Whether `list` shows this budget to a caller whose run it refuses. */
export const maySeeBudget = (
  { scopes, agentIds, isDemo }: Pick<Ctx, 'scopes' | 'agentIds' | 'isDemo'>,
  { kind }: Pick<SpentBudget, 'kind'>,
): boolean => scopes.has('usage:read') && (kind !== 'organisation' || (agentIds === null && !isDemo))

/** The subject of the budget of a caller's own key: rotated keys share it, and tokens count for their key. */
export const ownBudgetOf = ({ actor, bucket }: Pick<Ctx, 'actor' | 'bucket'>): readonly string[] =>
  actor.type === 'key' ? [bucket.id] : []

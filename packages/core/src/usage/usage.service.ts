import type { Plan, Usage } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { usageBounds } from './bounds.ts'
import { noId } from './bucket-key.ts'
import { addFigures, toUsageFigures } from './figures.ts'
import { findAsOf } from './rollup.store.ts'
import { findStanding, listDays, listMonth } from './usage.store.ts'

export type UsageService = {
  get(ctx: Ctx, asked: { month?: string | undefined }, within: AllowedAgents): Promise<Usage>
}

type Deps = { app: Database; clock: Clock; storageBytes: Readonly<Record<Plan, number>> }

const maxListed = usageBounds.listed.count
/** As long as figures are kept. */
const monthsBack = 12

/** The limits of the plan, and the use of a month. */
export const createUsage = ({ app, clock, storageBytes }: Deps): UsageService => ({
  get: async ({ org }, asked, { ids }) => {
    const month = monthOf(asked.month, clock.now())
    const agentIds = ids === null ? null : [...ids]
    const standing = await findStanding(app, org, month)
    if (!standing) throw new Fault('unauthorized', 'The organisation is gone')
    const asOf = await findAsOf(app, org)
    const days = await listDays(app, org, { month, agentIds })
    const agents = await listMonth(app, org, { month, scope: 'agent', agentIds, limit: maxListed })
    const keys =
      ids === null ? await listMonth(app, org, { month, scope: 'key', agentIds: null, limit: maxListed }) : []
    const { callsUsed: used, callsLimit: limit } = standing
    return {
      object: 'usage',
      plan: standing.plan,
      period: { start: standing.periodStart.toISOString(), end: standing.periodEnd.toISOString() },
      calls: { used, limit, remaining: Math.max(0, limit - used) },
      rate_limit: { requests_per_minute: standing.requestsPerMinute, burst: standing.burst },
      concurrency: { used: standing.runsUnderWay, limit: standing.concurrentRuns },
      storage: { used_bytes: standing.storedBytes, limit_bytes: storageBytes[standing.plan] },
      as_of: asOf.toISOString(),
      totals: toUsageFigures(addFigures(days.map(({ figures }) => figures))),
      by_agent: agents.map(({ id, name, figures }) => ({
        agent_id: fromUuid('ag', id),
        name,
        figures: toUsageFigures(figures),
      })),
      by_api_key: keys.map(({ id, name, figures }) => ({
        api_key_id: id === noId ? null : fromUuid('key', id),
        name,
        figures: toUsageFigures(figures),
      })),
      by_day: days.map(({ date, figures }) => ({ date, figures: toUsageFigures(figures) })),
    }
  },
})

/** The first day of the month. */
const monthOf = (asked: string | undefined, now: Date): string => {
  const current = now.toISOString().slice(0, 7)
  const month = asked ?? current
  const earliest = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack, 1)).toISOString().slice(0, 7)
  if (month > current || month < earliest)
    throw new Fault('input_invalid', `must be a month from ${earliest} to ${current}`, { param: 'month' })
  return `${month}-01`
}

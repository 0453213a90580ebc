import type { AgentId, AlertId, AlertRuleId, Alert as WireAlert } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { type AgentAccess, type AllowedAgents, requireAllowedAgent } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { findAlert, listAlerts } from './alert.store.ts'
import { toWireAlert } from './alert.ts'

export type AlertService = {
  list(ctx: AgentAccess, page: ListAlerts, within: AllowedAgents): Promise<ReturnType<typeof toList<WireAlert>>>
  get(ctx: Pick<Ctx, 'org'>, id: AlertId, within: AllowedAgents): Promise<WireAlert>
}

type ListAlerts = {
  limit?: number | undefined
  after?: AlertId | undefined
  before?: AlertId | undefined
  status?: WireAlert['status'][] | undefined
  severity?: WireAlert['severity'][] | undefined
  rule_id?: AlertRuleId | undefined
  agent_id?: AgentId | undefined
}

type Deps = {
  app: Database
  /** The resolver of the agents slice. */
  agents: { allowedAgent(ctx: AgentAccess, within: AllowedAgents, id: AgentId): Promise<AllowedAgents> }
}

export const createAlerts = ({ app, agents }: Deps): AlertService => ({
  list: async (ctx, page, within) => {
    const rows = await listAlerts(app, ctx.org, {
      within: page.agent_id === undefined ? within : await agents.allowedAgent(ctx, within, page.agent_id),
      status: page.status ?? null,
      severity: page.severity ?? null,
      ruleId: page.rule_id === undefined ? null : toUuid(page.rule_id),
      after: page.after === undefined ? null : toUuid(page.after),
      before: page.before === undefined ? null : toUuid(page.before),
      limit: pageSize(page) + 1,
    })
    return toList(rows.map(toWireAlert), page)
  },
  get: async ({ org }, id, within) => {
    const alert = await findAlert(app, org, toUuid(id))
    if (!alert) throw new Fault('not_found', `No alert ${id}`)
    requireAllowedAgent(within, alert.agent_id)
    return toWireAlert(alert)
  },
})

import type { AgentId, DeploymentComparison, DeploymentId, Deployment as WireDeployment } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AccessibleAgentId, type AgentAccess, type AllowedAgents, requireAllowedAgent } from '../agent-access.ts'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { listEndedRuns, readNow } from './canary.store.ts'
import { comparedUntil, toComparison } from './comparison.ts'
import { findDeployment, listDeployments, readDeployment } from './deployment.store.ts'
import { type Deployment, isPromotable, isRollable, toWireDeployment } from './deployment.ts'
import { lockReleasedAgent, promoteCanary, type ReleasedAgent, shareWithCanary } from './release.store.ts'
import { createRollbacks, type WatchAgent } from './rollback.service.ts'
import { longestWindowSeconds } from './rollback-rule.ts'

export type DeploymentService = {
  list(
    ctx: AgentAccess,
    page: ListDeployments,
    within: AllowedAgents,
  ): Promise<ReturnType<typeof toList<WireDeployment>>>
  /** Resolves an id to a deployment of an agent that the caller may use. */
  get(ctx: AgentAccess, id: DeploymentId): Promise<AccessibleDeployment>
  /** The figures of a canary and of the version beside it. */
  compare(ctx: Pick<Ctx, 'org'>, deployment: AccessibleDeployment): Promise<DeploymentComparison>
  /** Gives a canary all runs, or the share `trafficPercent`. */
  promote(ctx: Admin, deployment: AccessibleDeployment, trafficPercent?: number | undefined): Promise<Deployment>
  /** Answers with the deployment that was rolled back. */
  rollback(ctx: Admin, deployment: AccessibleDeployment, reason: string): Promise<Deployment>
}

/** A deployment of an agent that the caller may use. `get` makes it, and nothing else. */
export type AccessibleDeployment = Deployment & { agent_id: AccessibleAgentId }

type Admin = AgentAccess & Pick<Ctx, 'actor' | 'address' | 'requestId'>

type ListDeployments = {
  limit?: number | undefined
  after?: DeploymentId | undefined
  before?: DeploymentId | undefined
  agent_id?: AgentId | undefined
  status?: Deployment['status'][] | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  /** The resolvers of the agents slice, which imports this one. */
  agents: {
    allowedAgent(ctx: AgentAccess, within: AllowedAgents, id: AgentId): Promise<AllowedAgents>
    allowedAgents(ctx: AgentAccess): Promise<AllowedAgents>
  }
  watchAgent: WatchAgent
}

export const createDeployments = ({ app, newId, agents, watchAgent }: Deps): DeploymentService => {
  const rollbacks = createRollbacks({ newId, watchAgent })

  const get = async (ctx: AgentAccess, id: DeploymentId): Promise<AccessibleDeployment> => {
    const deployment = await findDeployment(app, ctx.org, toUuid(id))
    if (!deployment) throw new Fault('not_found', `No deployment ${id}`)
    requireAllowedAgent(await agents.allowedAgents(ctx), deployment.agent_id)
    return deployment as AccessibleDeployment
  }

  /** Locks the agent first and reads the deployment again under that lock, as a release does. */
  const change = async (
    ctx: Admin,
    { id, agent_id }: AccessibleDeployment,
    work: (tx: Tx, deployment: Deployment, agent: ReleasedAgent) => Promise<Deployment>,
  ): Promise<Deployment> => {
    return app.transaction(ctx.org, async (tx) => {
      const agent = await lockReleasedAgent(tx, ctx.org, agent_id)
      const deployment = agent && (await readDeployment(tx, ctx.org, id))
      if (!deployment) throw new Fault('not_found', `No deployment ${fromUuid('dep', id)}`)
      return work(tx, deployment, agent)
    })
  }

  return {
    get,
    list: async (ctx, page, within) => {
      const rows = await listDeployments(app, ctx.org, {
        within: page.agent_id === undefined ? within : await agents.allowedAgent(ctx, within, page.agent_id),
        status: page.status ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWireDeployment), page)
    },
    compare: async ({ org }, deployment) => {
      const previous = deployment.previous_deployment_id
      const before = previous === null ? null : await findDeployment(app, org, previous)
      const until = comparedUntil(deployment) ?? (await readNow(app, org))
      const windowSeconds = longestWindowSeconds(deployment.rollback_rules)
      const sideOf = async <Side extends Deployment>(side: Side) => ({
        deployment: side,
        runs: await listEndedRuns(app, org, { deploymentId: side.id, windowSeconds, until }),
      })
      return toComparison({ until, canary: await sideOf(deployment), base: before && (await sideOf(before)) })
    },
    promote: (ctx, named, trafficPercent) =>
      change(ctx, named, async (tx, deployment, agent) => {
        const asked = { agentStatus: agent.status, trafficPercent: trafficPercent ?? null }
        if (!isPromotable(deployment, asked)) return deployment
        const promoted =
          trafficPercent === undefined
            ? await promoteCanary(tx, ctx.org, deployment)
            : await shareWithCanary(tx, ctx.org, deployment, trafficPercent)
        const act = {
          action: 'deployment.promoted',
          subject: fromUuid('dep', deployment.id),
          before: shareOf(deployment),
          after: shareOf(promoted),
        }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return promoted
      }),
    rollback: (ctx, named, reason) =>
      change(ctx, named, async (tx, deployment, agent) => {
        if (!isRollable(deployment, agent.status)) return deployment
        const { actor, address, requestId } = ctx
        const asked = { deployment, reason, actor: { actor, address, requestId } }
        if (deployment.status === 'canary') return (await rollbacks.ofCanary(tx, ctx.org, asked)) ?? deployment
        return rollbacks.ofActive(tx, ctx.org, { ...asked, author: { by: toUuid(actor.id), type: actor.type } })
      }),
  }
}

const shareOf = ({ status, traffic_percent, version }: Deployment) => ({ status, traffic_percent, version })

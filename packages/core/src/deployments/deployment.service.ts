import type { AgentId, DeploymentId, Deployment as WireDeployment } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { findDeployment, listDeployments, readDeployment } from './deployment.store.ts'
import { type Deployment, isPromotable, isRollable, toWireDeployment } from './deployment.ts'
import { lockAgent, promoteCanary, type ReleasedAgent, shareWithCanary } from './release.store.ts'
import { createRollbacks } from './rollback.service.ts'

export type DeploymentService = {
  list(ctx: Reacher, page: ListDeployments): Promise<ReturnType<typeof toList<WireDeployment>>>
  /** Refuses one whose agent is out of the caller's reach. */
  get(ctx: Reacher, id: DeploymentId): Promise<Deployment>
  /** Gives a canary all runs, or the share `trafficPercent`. */
  promote(ctx: Admin, id: DeploymentId, trafficPercent?: number | undefined): Promise<Deployment>
  /** Answers with what was rolled back. */
  rollback(ctx: Admin, id: DeploymentId, reason: string): Promise<Deployment>
}

type Reacher = Pick<Ctx, 'org' | 'agentIds' | 'isDemo'>
type Admin = Reacher & Pick<Ctx, 'actor' | 'address' | 'requestId'>

type ListDeployments = {
  limit?: number | undefined
  after?: DeploymentId | undefined
  before?: DeploymentId | undefined
  agent_id?: AgentId | undefined
  status?: Deployment['status'] | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  /** What the agents slice knows of who may touch which agent; that slice stands above this one. */
  agents: {
    get(ctx: Reacher, id: AgentId): Promise<{ id: string }>
    /** As UUIDs; null: every agent of the organisation. */
    reach(ctx: Reacher): Promise<ReadonlySet<string> | null>
  }
}

export const createDeployments = ({ app, newId, agents }: Deps): DeploymentService => {
  const rollbacks = createRollbacks({ newId })

  const get = async (ctx: Reacher, id: DeploymentId): Promise<Deployment> => {
    const deployment = await findDeployment(app, ctx.org, toUuid(id))
    if (!deployment) throw new Fault('not_found', `No deployment ${id}`)
    const reach = await agents.reach(ctx)
    if (reach !== null && !reach.has(deployment.agent_id)) {
      throw new Fault('forbidden', `Deployment ${id} is of an agent that this key may not use`)
    }
    return deployment
  }

  /** The agent is locked first and the deployment read again below that lock, as whoever releases does. */
  const change = async (
    ctx: Admin,
    id: DeploymentId,
    work: (tx: Tx, deployment: Deployment, agent: ReleasedAgent) => Promise<Deployment>,
  ): Promise<Deployment> => {
    const { agent_id } = await get(ctx, id)
    return app.transaction(ctx.org, async (tx) => {
      const agent = await lockAgent(tx, ctx.org, agent_id)
      const deployment = agent && (await readDeployment(tx, ctx.org, toUuid(id)))
      if (!deployment) throw new Fault('not_found', `No deployment ${id}`)
      return work(tx, deployment, agent)
    })
  }

  return {
    get,
    list: async (ctx, page) => {
      const agentIds =
        page.agent_id === undefined ? await agents.reach(ctx) : [(await agents.get(ctx, page.agent_id)).id]
      const rows = await listDeployments(app, ctx.org, {
        agentIds: agentIds && [...agentIds],
        status: page.status ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWireDeployment), page)
    },
    promote: (ctx, id, trafficPercent) =>
      change(ctx, id, async (tx, deployment, agent) => {
        const asked = { agentStatus: agent.status, trafficPercent: trafficPercent ?? null }
        if (!isPromotable(deployment, asked)) return deployment
        const promoted =
          trafficPercent === undefined
            ? await promoteCanary(tx, ctx.org, deployment)
            : await shareWithCanary(tx, ctx.org, deployment, trafficPercent)
        const act = {
          action: 'deployment.promoted',
          subject: id,
          before: shareOf(deployment),
          after: shareOf(promoted),
        }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return promoted
      }),
    rollback: (ctx, id, reason) =>
      change(ctx, id, async (tx, deployment, agent) => {
        if (!isRollable(deployment, agent.status)) return deployment
        const { actor, address, requestId } = ctx
        const asked = { deployment, reason, actor: { actor, address, requestId } }
        if (deployment.status === 'canary') return (await rollbacks.ofCanary(tx, ctx.org, asked)) ?? deployment
        return rollbacks.ofActive(tx, ctx.org, { ...asked, author: { by: toUuid(actor.id), type: actor.type } })
      }),
  }
}

const shareOf = ({ status, traffic_percent, version }: Deployment) => ({ status, traffic_percent, version })

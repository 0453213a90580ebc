import type { AgentDiff, AgentId, contract, Agent as WireAgent, AgentVersion as WireVersion } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { isCut } from '@ars/platform/db/fitting-page'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { z } from 'zod'
import {
  type AccessibleAgentId,
  type AgentAccess,
  type AllowedAgents,
  allowsAgent,
  onlyAgent,
} from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList, toVersionList, type VersionList } from '../page.ts'
import { createSecrets } from '../secrets/index.ts'
import { countActiveRuns, findAgent, listAgents } from './agent.store.ts'
import { type Agent, type AgentVersion, agentContentOf, toWireVersion } from './agent.ts'
import { type AccessibleAgent, allowedAgentsOf, createAgentLookup, requireAgentAccess } from './agent-access.service.ts'
import { changesBetween } from './agent-change.ts'
import { createMaking, type MakeService } from './agent-make.service.ts'
import { type AgentParts, wireOf } from './agent-parts.service.ts'
import { createStates, type StateService } from './agent-state.service.ts'
import { createUpdates, type UpdateService } from './agent-update.service.ts'
import { findVersions, listVersions } from './agent-version.store.ts'
import { agentsBounds } from './bounds.ts'

export type AgentService = MakeService &
  UpdateService &
  StateService & {
    /** Resolves an id to an agent that the caller may use. */
    get(ctx: AgentAccess, id: AgentId): Promise<AccessibleAgent>
    /** The same for an agent that is only run: its row is read only where the id does not decide. */
    getId(ctx: AgentAccess, id: AgentId): Promise<AccessibleAgentId>
    /** Resolves the agents that the caller may use, for lists. */
    allowedAgents(ctx: AgentAccess): Promise<AllowedAgents>
    /** The same for a list that is filtered by one agent: 403 if the caller may not use it, and none if it does not exist. */
    allowedAgent(ctx: AgentAccess, within: AllowedAgents, id: AgentId): Promise<AllowedAgents>
    list(ctx: Org, page: ListAgents, within: AllowedAgents): Promise<ReturnType<typeof toList<WireAgent>>>
    versions(ctx: Org, page: ListVersions, agent: AccessibleAgent): Promise<VersionList<WireVersion>>
    version(ctx: Org, asked: { version: number }, agent: AccessibleAgent): Promise<WireVersion>
    /** The changes that lead from `version` to `to`. */
    diff(ctx: Org, asked: { version: number; to: number }, agent: AccessibleAgent): Promise<AgentDiff>
    /** The runs of the agent that have not ended, by state. */
    stats(ctx: Org, agent: AccessibleAgent): Promise<AgentStats>
    /** As clients see it. */
    toWireAgent(agent: Agent): WireAgent
  }

type ListAgents = {
  limit?: number | undefined
  after?: AgentId | undefined
  before?: AgentId | undefined
  status?: WireAgent['status'][] | undefined
  source?: WireAgent['source'][] | undefined
  q?: string | undefined
}

type Org = Pick<Ctx, 'org'>

type ListVersions = { limit?: number | undefined; after?: number | undefined; before?: number | undefined }

type AgentStats = z.infer<typeof contract.agents.stats.output>

// A count reads each row. This bounds the time of a request.
const maxCountedRuns = agentsBounds.runsCounted.count

type Deps = Pick<AgentParts, 'catalog' | 'models' | 'modelsOf' | 'schemas' | 'templates'> & {
  app: Database
  newId: IdMaker
  egress: Pick<Egress, 'checkUrl'>
  keyring: Keyring | undefined
}

export const createAgents = (deps: Deps): AgentService => {
  const { app } = deps
  const parts: AgentParts = { ...deps, secrets: createSecrets(deps) }

  const { get, getId } = createAgentLookup({ app })

  /** Each of these versions, or a refusal that names the one that is missing. */
  const getVersions = async (
    { org }: Org,
    { id: agentId }: AccessibleAgent,
    numbers: readonly number[],
  ): Promise<AgentVersion[]> => {
    const found = await findVersions(app, org, { agentId, numbers })
    return numbers.map((number) => {
      const version = found.find((each) => each.version === number)
      if (!version) {
        const words = `Agent ${fromUuid('ag', agentId)} has no version ${number}`
        throw new Fault('not_found', words, { param: 'version' })
      }
      return version
    })
  }

  return {
    ...createMaking(parts),
    ...createUpdates(parts),
    ...createStates(parts),
    get,
    getId,
    allowedAgents: (ctx) => allowedAgentsOf(app, ctx),
    allowedAgent: async (ctx, within, id) => {
      const uuid = toUuid(id)
      const row = allowsAgent(within, uuid) ? null : await findAgent(app, ctx.org, uuid)
      if (row) requireAgentAccess(ctx, uuid, row)
      return onlyAgent(within, uuid)
    },
    toWireAgent: (agent) => wireOf(parts, agent),
    list: async ({ org }, page, within) => {
      const rows = await listAgents(app, org, {
        within,
        status: page.status ?? null,
        source: page.source ?? null,
        text: page.q ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(
        rows.map((agent) => wireOf(parts, agent)),
        page,
        { isCut: isCut(rows) },
      )
    },
    versions: async ({ org }, page, { id: agentId }) => {
      const { after = null, before = null } = page
      const rows = await listVersions(app, org, { agentId, after, before, limit: pageSize(page) + 1 })
      return toVersionList(rows, page, toWireVersion)
    },
    version: async (ctx, { version }, agent) => {
      const [found] = await getVersions(ctx, agent, [version])
      return toWireVersion(found as AgentVersion)
    },
    stats: async ({ org }, agent) => {
      const counted = await countActiveRuns(app, org, agent.id, maxCountedRuns)
      const runs = { queued: 0, running: 0, requires_action: 0, cancelling: 0 }
      for (const { status, runs: count } of counted) runs[status] = count
      const total = counted.reduce((sum, { runs: count }) => sum + count, 0)
      return { object: 'agent_stats', agent_id: fromUuid('ag', agent.id), runs, is_capped: total >= maxCountedRuns }
    },
    diff: async (ctx, { version, to }, agent) => {
      const [one, other] = (await getVersions(ctx, agent, [version, to])) as [AgentVersion, AgentVersion]
      const changes = changesBetween(agentContentOf(one), agentContentOf(other))
      return { object: 'agent_diff', agent_id: fromUuid('ag', agent.id), from: version, to, changes }
    },
  }
}

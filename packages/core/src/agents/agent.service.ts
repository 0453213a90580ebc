import type { AgentDiff, AgentId, Agent as WireAgent, AgentVersion as WireVersion } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { createSecrets } from '../secrets/index.ts'
import { findAgent, listAgents } from './agent.store.ts'
import { type Agent, type AgentVersion, contentOf, toWireVersion } from './agent.ts'
import { changesBetween } from './agent-change.ts'
import { createMaking, type MakeService } from './agent-make.service.ts'
import { type AgentParts, wireOf } from './agent-parts.service.ts'
import { reachOf, requireWithin } from './agent-reach.service.ts'
import { createUpdates, type UpdateService } from './agent-update.service.ts'
import { findVersions, listVersions } from './agent-version.store.ts'
import type { Reach, Reacher } from './reach.ts'

export type AgentService = MakeService &
  UpdateService & {
    /** Refuses one that is out of the caller's reach. */
    get(ctx: Reacher, id: AgentId): Promise<Agent>
    /** Those within the caller's reach. */
    list(ctx: Reacher, page: ListAgents): Promise<ReturnType<typeof toList<WireAgent>>>
    /** The agents whose runs the caller may see and touch. */
    reach(ctx: Reacher): Promise<Reach>
    versions(ctx: Reacher, page: ListVersions): Promise<VersionList>
    version(ctx: Reacher, asked: { id: AgentId; version: number }): Promise<WireVersion>
    /** What is different in `to`, seen from `version`. */
    diff(ctx: Reacher, asked: { id: AgentId; version: number; to: number }): Promise<AgentDiff>
    /** As clients see it. */
    toWire(agent: Agent): WireAgent
  }

type ListAgents = {
  limit?: number | undefined
  after?: AgentId | undefined
  before?: AgentId | undefined
  status?: 'active' | 'archived' | undefined
  source?: 'catalog' | 'custom' | undefined
  q?: string | undefined
}

type ListVersions = { id: AgentId; limit?: number | undefined; after?: number | undefined; before?: number | undefined }

type VersionList = Omit<ReturnType<typeof toList>, 'data'> & { data: WireVersion[] }

type Deps = Pick<AgentParts, 'catalog' | 'models' | 'schemas'> & {
  app: Database
  newId: IdMaker
  egress: Pick<Egress, 'checkUrl'>
  keyring: Keyring | undefined
}

export const createAgents = (deps: Deps): AgentService => {
  const { app } = deps
  const parts: AgentParts = { ...deps, secrets: createSecrets(deps) }

  const get = async (ctx: Reacher, id: AgentId): Promise<Agent> => {
    const uuid = toUuid(id)
    return requireWithin(ctx, uuid, await findAgent(app, ctx.org, uuid))
  }

  /** Each of these versions, or a refusal that names the one that is missing. */
  const getVersions = async (ctx: Reacher, id: AgentId, numbers: readonly number[]): Promise<AgentVersion[]> => {
    const { id: agentId } = await get(ctx, id)
    const found = await findVersions(app, ctx.org, { agentId, numbers })
    return numbers.map((number) => {
      const version = found.find((each) => each.version === number)
      if (!version) throw new Fault('not_found', `Agent ${id} has no version ${number}`, { param: 'version' })
      return version
    })
  }

  return {
    ...createMaking(parts),
    ...createUpdates(parts),
    get,
    reach: (ctx) => reachOf(app, ctx),
    toWire: (agent) => wireOf(parts, agent),
    list: async (ctx, page) => {
      const reach = await reachOf(app, ctx)
      const rows = await listAgents(app, ctx.org, {
        ids: reach === null ? null : [...reach],
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
      )
    },
    versions: async (ctx, { id, ...page }) => {
      const { id: agentId } = await get(ctx, id)
      const { after = null, before = null } = page
      const rows = await listVersions(app, ctx.org, { agentId, after, before, limit: pageSize(page) + 1 })
      // A version has no id of its own: its number is what pages are turned by.
      const numbered = rows.map((row) => ({ id: String(row.version), wire: toWireVersion(row) }))
      const { data, ...list } = toList(numbered, {
        limit: page.limit,
        before: before === null ? undefined : `${before}`,
      })
      return { ...list, data: data.map(({ wire }) => wire) }
    },
    version: async (ctx, { id, version }) => {
      const [found] = await getVersions(ctx, id, [version])
      return toWireVersion(found as AgentVersion)
    },
    diff: async (ctx, { id, version, to }) => {
      const [one, other] = (await getVersions(ctx, id, [version, to])) as [AgentVersion, AgentVersion]
      const changes = changesBetween(contentOf(one), contentOf(other))
      return { object: 'agent_diff', agent_id: id, from: version, to, changes }
    },
  }
}

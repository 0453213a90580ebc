import type { AgentId, Agent as WireAgent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { findAgent, insertAgent, listAgents, listCatalogAgents } from './agent.store.ts'
import { type Agent, toWire } from './agent.ts'
import { type Reach, type Reacher, refusalOf } from './reach.ts'
import { type CreatedRemoteAgent, createRemoteAgent } from './remote-agent.service.ts'
import type { NewRemoteAgent } from './remote-agent.ts'

export type AgentService = {
  /** Refuses one that is out of the caller's reach. */
  get(ctx: Reacher, id: AgentId): Promise<Agent>
  /** Those within the caller's reach. */
  list(ctx: Reacher, page: ListAgents): Promise<ReturnType<typeof toList<WireAgent>>>
  /** The agents whose runs the caller may see and touch. */
  reach(ctx: Reacher): Promise<Reach>
  /** Gives an organisation the test agents that this release has. */
  seedTestFamily(org: string): Promise<{ id: string; name: string }[]>
  /** An agent that the organisation runs itself behind HTTPS. The signing secret is shown here and never again. */
  createRemote(org: string, body: NewRemoteAgent): Promise<CreatedRemoteAgent>
}

type ListAgents = {
  limit?: number | undefined
  after?: AgentId | undefined
  before?: AgentId | undefined
  status?: 'active' | 'archived' | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  /** The last two are for remote agents, which cannot be made without them. */
  egress?: Egress
  keyring?: Keyring | undefined
}

export const createAgents = (deps: Deps): AgentService => ({
  get: async (ctx, id) => {
    const agent = await findAgent(deps.app, ctx.org, toUuid(id))
    if (!agent) throw new Fault('not_found', `No agent ${id}`)
    const refusal = refusalOf(ctx, agent)
    if (refusal !== null) throw new Fault('forbidden', `${refusal} (${id})`)
    return agent
  },
  reach: (ctx) => reachOf(deps.app, ctx),
  list: async (ctx, page) => {
    const reach = await reachOf(deps.app, ctx)
    const rows = await listAgents(deps.app, ctx.org, {
      ids: reach === null ? null : [...reach],
      status: page.status ?? null,
      after: page.after === undefined ? null : toUuid(page.after),
      before: page.before === undefined ? null : toUuid(page.before),
      limit: pageSize(page) + 1,
    })
    return toList(rows.map(toWire), page)
  },
  seedTestFamily: async (org) => {
    const seeded: { id: string; name: string }[] = []
    for (const { name, description, model } of testFamily) {
      const id = toUuid(deps.newId('ag'))
      const agent = {
        id,
        name,
        description,
        kind: 'llm',
        source: 'catalog',
        catalog_key: name,
        config: { model },
      } as const
      await insertAgent(deps.app, org, agent)
      seeded.push({ id: fromUuid('ag', id), name })
    }
    return seeded
  },
  createRemote: async (org, body) => {
    const { egress, keyring } = deps
    if (!egress) throw new Error('A remote agent cannot be made without the egress that checks its address')
    return createRemoteAgent({ ...deps, egress, keyring }, org, body)
  },
})

// What an agent is only its row tells, so for a demo key all that it may reach are looked up; it asks ten times a minute.
const reachOf = async (app: Database, ctx: Reacher): Promise<Reach> => {
  if (!ctx.isDemo) return ctx.agentIds
  const known = await listCatalogAgents(app, ctx.org)
  return new Set(known.filter((agent) => refusalOf(ctx, agent) === null).map(({ id }) => id))
}

/** The `test-*` family: they need no model and cost nothing. What their input means: docs/guides/test-agents.md. */
const testFamily: readonly { name: string; description: string; model: string }[] = [
  { name: 'test-echo', description: 'Answers with its own input.', model: 'simulated/echo' },
  { name: 'test-slow', description: 'Takes `seconds` to answer.', model: 'simulated/slow' },
  { name: 'test-fail', description: 'Fails, with `code` and `message`.', model: 'simulated/fail' },
  { name: 'test-flaky', description: 'Fails `fail_times` times before it answers.', model: 'simulated/flaky' },
  { name: 'test-approval', description: 'Asks a person before it answers.', model: 'simulated/approval' },
  { name: 'test-stream', description: 'Streams `chunks` pieces, `delay_ms` apart.', model: 'simulated/stream' },
  { name: 'test-steps', description: 'Takes `steps` steps of `delay_ms` each.', model: 'simulated/steps' },
]

import type { AgentId, Agent as WireAgent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Caller } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { findAgent, insertAgent, listAgents } from './agent.store.ts'
import { type Agent, toWire } from './agent.ts'
import { type CreatedRemoteAgent, createRemoteAgent } from './remote-agent.service.ts'
import type { NewRemoteAgent } from './remote-agent.ts'

export type AgentService = {
  get(ctx: Pick<Caller, 'org'>, id: AgentId): Promise<Agent>
  list(ctx: Caller, page: ListAgents): Promise<ReturnType<typeof toList<WireAgent>>>
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
  get: async ({ org }, id) => {
    const agent = await findAgent(deps.app, org, toUuid(id))
    if (!agent) throw new Fault('not_found', `No agent ${id}`)
    return agent
  },
  list: async ({ org }, page) => {
    const rows = await listAgents(deps.app, org, {
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

import type { AgentId, Agent as WireAgent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Caller } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { findAgent, insertAgent, listAgents } from './agent.store.ts'
import { type Agent, toWire } from './agent.ts'
import type { SimulatedModel } from './simulated.ts'

export type AgentService = {
  get(ctx: Pick<Caller, 'org'>, id: AgentId): Promise<Agent>
  list(ctx: Caller, page: ListAgents): Promise<ReturnType<typeof toList<WireAgent>>>
  /** Gives an organisation the test agents that this release has. */
  seedTestFamily(org: string): Promise<{ id: string; name: string }[]>
}

type ListAgents = {
  limit?: number | undefined
  after?: AgentId | undefined
  before?: AgentId | undefined
  status?: 'active' | 'archived' | undefined
}

export const createAgents = (deps: { app: Database; newId: IdMaker }): AgentService => ({
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
})

const testFamily: readonly { name: string; description: string; model: SimulatedModel }[] = [
  { name: 'test-echo', description: 'Answers with its own input.', model: 'simulated/echo' },
  { name: 'test-steps', description: 'Takes `steps` steps of `delay_ms` each.', model: 'simulated/steps' },
  { name: 'test-slow', description: 'Takes `seconds` to answer.', model: 'simulated/slow' },
]

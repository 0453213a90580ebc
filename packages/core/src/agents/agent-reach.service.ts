import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import { listCatalogAgents } from './agent.store.ts'
import type { Agent } from './agent.ts'
import { type Reach, type Reached, type Reacher, refusalOf } from './reach.ts'

/** The agent, unless there is none (404) or it is out of the caller's reach (403). */
export const requireWithin = (ctx: Reacher, uuid: string, agent: (Agent & Reached) | null): Agent => {
  const id = fromUuid('ag', uuid)
  if (!agent) throw new Fault('not_found', `No agent ${id}`)
  const refusal = refusalOf(ctx, agent)
  if (refusal !== null) throw new Fault('forbidden', `${refusal} (${id})`)
  return agent
}

// What an agent is only its row tells, so for a demo key all that it may reach are looked up; it asks ten times a minute.
export const reachOf = async (app: Database, ctx: Reacher): Promise<Reach> => {
  if (!ctx.isDemo) return ctx.agentIds
  const known = await listCatalogAgents(app, ctx.org)
  return new Set(known.filter((agent) => refusalOf(ctx, agent) === null).map(({ id }) => id))
}

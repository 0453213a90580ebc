import type { AgentId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import {
  type AccessibleAgentId,
  type AccessRow,
  type AgentAccess,
  type AllowedAgents,
  accessibleById,
  accessibleRow,
  allowedAmong,
} from '../agent-access.ts'
import { Fault } from '../fault.ts'
import { findAgent, listCatalogAgents } from './agent.store.ts'
import type { Agent } from './agent.ts'

/** An agent that the caller may use. `requireAgentAccess` makes it, and nothing else. */
export type AccessibleAgent = Agent & AccessRow & { id: AccessibleAgentId }

/** The agent, unless there is none (404) or the caller may not use it (403). */
export const requireAgentAccess = (
  ctx: AgentAccess,
  uuid: string,
  row: (Agent & AccessRow) | null,
): AccessibleAgent => {
  const id = fromUuid('ag', uuid)
  if (!row) throw new Fault('not_found', `No agent ${id}`)
  const access = accessibleRow(ctx, row)
  if ('refusal' in access) throw new Fault('forbidden', `${access.refusal} (${id})`)
  return access.agent
}

/** Resolves ids to agents that the caller may use. `getId` reads a row only where the id does not decide. */
export const createAgentLookup = ({ app }: { app: Database }) => {
  const get = async (ctx: AgentAccess, id: AgentId): Promise<AccessibleAgent> => {
    const uuid = toUuid(id)
    return requireAgentAccess(ctx, uuid, await findAgent(app, ctx.org, uuid))
  }
  const getId = async (ctx: AgentAccess, id: AgentId): Promise<AccessibleAgentId> =>
    accessibleById(ctx, toUuid(id)) ?? (await get(ctx, id)).id
  return { get, getId }
}

// Only the row of an agent says what a demo key may do with it, so its agents are looked up; it has ten requests a minute.
export const allowedAgentsOf = async (app: Database, ctx: AgentAccess): Promise<AllowedAgents> =>
  allowedAmong(ctx, ctx.isDemo ? await listCatalogAgents(app, ctx.org) : [])

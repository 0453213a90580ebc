import type { Caller } from './ctx.ts'
import { Fault } from './fault.ts'

/*
 * Access to an agent as types. A service takes one of these types instead of an id, so code that forgets the check does
 * not compile. Only this file and the resolvers make such values, each from the evidence that it has.
 */

declare const checked: unique symbol

/** What of a caller says which agents it may use, and whether it sees only the runs that it created. */
export type AgentAccess = Pick<Caller, 'org' | 'agentIds' | 'isDemo' | 'runOwner'>

/** The UUID of an agent that the caller may use, if there is one. */
export type AccessibleAgentId = string & { readonly [checked]: 'agent' }

/**
 * The agents that a caller may use, as UUIDs; null: every agent of the organisation. `runOwner`: of their runs, the
 * caller sees only those of this owner; null: all.
 */
export type AllowedAgents = {
  readonly ids: ReadonlySet<string> | null
  readonly runOwner: string | null
  readonly [checked]: 'agents'
}

/** The columns of an agent that decide who may use it. `uses_tools`: a version that a run may get uses tools. */
export type AccessRow = { readonly id: string; readonly source: 'catalog' | 'custom'; readonly uses_tools: boolean }

/** Whether a key for some agents has this one. A demo key needs the agent itself: `accessibleRow`. */
export const hasAgent = ({ agentIds }: Pick<AgentAccess, 'agentIds'>, id: string): boolean =>
  agentIds === null || agentIds.has(id)

/** Whether the caller sees a run, or a pipeline run, of this owner: a demo key and a token see only what they created. */
export const sees = ({ runOwner }: Pick<AgentAccess, 'runOwner'>, ownerId: string | null): boolean =>
  runOwner === null || ownerId === runOwner

/** The agent's UUID where the caller's access allows it without its row; null for a demo key, which needs the row. */
export const accessibleById = (ctx: Pick<AgentAccess, 'agentIds' | 'isDemo'>, id: string): AccessibleAgentId | null =>
  !ctx.isDemo && hasAgent(ctx, id) ? (id as AccessibleAgentId) : null

/** The row as an agent that the caller may use, or the reason for the refusal in words for the caller. */
export const accessibleRow = <Row extends AccessRow>(
  ctx: Pick<AgentAccess, 'agentIds' | 'isDemo'>,
  row: Row,
): { agent: Row & { id: AccessibleAgentId } } | { refusal: string } => {
  const { id, source, uses_tools } = row
  if (!hasAgent(ctx, id)) return { refusal: ofOthers }
  const { isDemo } = ctx
  if (isDemo && source !== 'catalog') return { refusal: 'A demo key may use agents of the catalog only' }
  if (isDemo && uses_tools) return { refusal: 'A demo key may not use agents that have tools' }
  return { agent: row as Row & { id: AccessibleAgentId } }
}

/** For a demo key the rows of the catalog's agents decide; for any other key they are not needed. */
export const allowedAmong = (ctx: AgentAccess, catalogAgents: readonly AccessRow[]): AllowedAgents => {
  const ids = catalogAgents.filter((row) => 'agent' in accessibleRow(ctx, row)).map(({ id }) => id)
  return { ids: ctx.isDemo ? new Set(ids) : ctx.agentIds, runOwner: ctx.runOwner } as AllowedAgents
}

/** Of these agents the one with this id, or none. */
export const onlyAgent = (within: AllowedAgents, id: string): AllowedAgents => {
  const ids: ReadonlySet<string> = new Set(allowsAgent(within, id) ? [id] : [])
  return { ids, runOwner: within.runOwner } as AllowedAgents
}

/** Refuses a thing of an agent that the caller may not use. Null: the thing belongs to no agent, so it concerns all of them. */
export const requireAllowedAgent = (within: AllowedAgents, agentId: string | null): void => {
  if (within.ids === null || (agentId !== null && within.ids.has(agentId))) return
  throw new Fault('forbidden', agentId === null ? concernsAll : ofOthers)
}

const ofOthers = 'This key is narrowed to other agents'
const concernsAll = 'A key that is narrowed to some agents may not do this, because it concerns all agents'

export const allowsAgent = ({ ids }: AllowedAgents, agentId: string): boolean => ids === null || ids.has(agentId)

import type { Caller } from '../ctx.ts'
import type { Agent } from './agent.ts'

/** What of a caller says which agents it may touch. */
export type Reacher = Pick<Caller, 'org' | 'agentIds' | 'isDemo'>

/** The agents that a caller may touch, as UUIDs; null: every agent of the organisation. */
export type Reach = ReadonlySet<string> | null

/** What of an agent says who may touch it. `uses_tools`: some version of it that a run may be given does. */
export type Reached = Pick<Agent, 'id' | 'source'> & { uses_tools: boolean }

/** Whether the id alone says that the agent is within reach; for a demo key it says nothing. */
export const isSurelyWithin = ({ agentIds, isDemo }: Pick<Reacher, 'agentIds' | 'isDemo'>, agentId: string): boolean =>
  !isDemo && (agentIds === null || agentIds.has(agentId))

/** Why an agent of the organisation is out of the caller's reach, in words for the caller; null: it is not. */
export const refusalOf = (
  { agentIds, isDemo }: Pick<Reacher, 'agentIds' | 'isDemo'>,
  { id, source, uses_tools }: Reached,
): string | null => {
  if (agentIds !== null && !agentIds.has(id)) return 'This key is narrowed to other agents'
  if (isDemo && source !== 'catalog') return 'A demo key may use agents of the catalog only'
  if (isDemo && uses_tools) return 'A demo key may not use agents that have tools'
  return null
}

import { type AllowedAgents, allowsAgent } from '../agent-access.ts'
import { Fault } from '../fault.ts'

/** A rule reads figures of an agent, or of the organisation. A key that is narrowed to some agents has the rules of these agents only. */
export const requireSight = (within: AllowedAgents, agentId: string | null): void => {
  if (within.ids === null) return
  if (agentId === null)
    throw new Fault('forbidden', 'A key that is narrowed to some agents may not use rules of the whole organisation')
  if (!allowsAgent(within, agentId)) throw new Fault('forbidden', 'This key is narrowed to other agents')
}

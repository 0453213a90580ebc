import { type AllowedAgents, allowsAgent } from '../agent-access.ts'
import { Fault } from '../fault.ts'

/**
 * A rule reads figures of all runs of an agent, or of the organisation. A credential that sees only its own runs has no rules,
 * and a key that is narrowed to some agents has the rules of these agents only. Without `agentId`: may it list rules?
 */
export const requireSight = (within: AllowedAgents, agentId?: string | null): void => {
  if (within.runOwner !== null) throw new Fault('forbidden', 'A credential that sees only its own runs has no alerts')
  if (agentId === undefined || within.ids === null) return
  if (agentId === null)
    throw new Fault('forbidden', 'A key that is narrowed to some agents may not use rules of the whole organisation')
  if (!allowsAgent(within, agentId)) throw new Fault('forbidden', 'This key is narrowed to other agents')
}

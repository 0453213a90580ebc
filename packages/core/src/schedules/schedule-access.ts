import { type AllowedAgents, allowsAgent } from '../agent-access.ts'
import { Fault } from '../fault.ts'
import type { TargetColumns } from './schedule.ts'

/** A key that is narrowed to some agents has the schedules of these agents only. */
export const requireScheduleSight = (within: AllowedAgents, target: TargetColumns): void => {
  if (within.ids === null) return
  if (target.agent_id === null)
    throw new Fault('forbidden', 'A key that is narrowed to some agents may not use schedules of pipelines')
  if (!allowsAgent(within, target.agent_id)) throw new Fault('forbidden', 'This key is narrowed to other agents')
}

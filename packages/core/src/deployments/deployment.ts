import type { RollbackRule, Deployment as WireDeployment } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'

/** A deployment as stored in the database. */
export type Deployment = {
  id: string
  agent_id: string
  version: number
  status: WireDeployment['status']
  traffic_percent: number
  rollback_rules: RollbackRule[]
  previous_deployment_id: string | null
  source: WireDeployment['source']
  created_by: string | null
  created_by_type: AuthorType
  created_at: Date
  /** When it got all runs. Null: never. */
  activated_at: Date | null
  rolled_back_at: Date | null
  rollback_reason: string | null
}

/** The actor of a deployment: `by` is the UUID of the key or the person, null for the operator and the service. */
export type ReleaseAuthor = { by: string | null; type: AuthorType }

type AuthorType = 'key' | 'user' | 'operator' | 'service'

export const toWireDeployment = (deployment: Deployment): WireDeployment => ({
  id: fromUuid('dep', deployment.id),
  object: 'deployment',
  agent_id: fromUuid('ag', deployment.agent_id),
  version: deployment.version,
  status: deployment.status,
  traffic_percent: deployment.traffic_percent,
  rollback_rules: deployment.rollback_rules,
  previous_deployment_id: previousId(deployment),
  source: deployment.source,
  created_by: authorId(deployment),
  created_at: deployment.created_at.toISOString(),
  rolled_back_at: deployment.rolled_back_at?.toISOString() ?? null,
  rollback_reason: deployment.rollback_reason,
})

/** Whether promoting changes anything; refused if the deployment no longer gets runs, or never will. */
export const isPromotable = (
  deployment: Pick<Deployment, 'id' | 'status' | 'traffic_percent'>,
  { agentStatus, trafficPercent }: { agentStatus: string; trafficPercent: number | null },
): boolean => {
  if (deployment.status === 'active') return false
  requireOpen(deployment, agentStatus)
  return deployment.traffic_percent !== trafficPercent
}

/** Whether rolling back changes anything; a second rollback does not. */
export const isRollable = (deployment: Pick<Deployment, 'id' | 'status'>, agentStatus: string): boolean => {
  if (deployment.status === 'rolled_back') return false
  requireOpen(deployment, agentStatus)
  return true
}

const requireOpen = ({ id, status }: Pick<Deployment, 'id' | 'status'>, agentStatus: string): void => {
  const name = fromUuid('dep', id)
  if (status !== 'active' && status !== 'canary') {
    throw new Fault('deployment_not_open', `Deployment ${name} gets no runs any more: it is ${status}`)
  }
  if (agentStatus !== 'active') throw new Fault('agent_archived', `The agent of deployment ${name} is archived`)
}

const previousId = ({ previous_deployment_id: id }: Deployment): WireDeployment['previous_deployment_id'] =>
  id === null ? null : fromUuid('dep', id)

const authorId = ({ created_by, created_by_type }: Deployment): WireDeployment['created_by'] => {
  if (created_by === null) return null
  if (created_by_type === 'key') return fromUuid('key', created_by)
  return created_by_type === 'user' ? fromUuid('usr', created_by) : null
}

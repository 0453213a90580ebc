import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AllowedAgents } from '../agent-access.ts'
import { deploymentsBounds } from './bounds.ts'
import type { Deployment } from './deployment.ts'

export const findDeployment = async (db: Database, org: string, id: string): Promise<Deployment | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** The deployment that was created with the agent. */
export const findFirstDeployment = async (db: Database, org: string, agentId: string): Promise<Deployment | null> => {
  const [row] = await db.once(org, findFirst({ org, agentId }))
  return row ?? null
}

/** The ids of the newest deployments of a version, at most a thousand. Only rollbacks release a version again. */
export const listDeploymentsOfVersion = async (
  db: Database,
  org: string,
  { agentId, version }: { agentId: string; version: number },
): Promise<string[]> => (await db.once(org, ofVersion({ org, agentId, version }))).map(({ id }) => id)

/** The caller holds the lock of the agent, so that the deployment does not change. */
export const readDeployment = async (tx: Tx, org: string, id: string): Promise<Deployment | null> => {
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

export type DeploymentPage = {
  /** Deployments of these agents only. */
  within: AllowedAgents
  status: readonly Deployment['status'][] | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listDeployments = (db: Database, org: string, page: DeploymentPage): Promise<Deployment[]> =>
  db.once(org, list(org, page))

export const columns = `id, agent_id, version, status, traffic_percent, rollback_rules, previous_deployment_id, source,
       created_by, created_by_type, created_at, activated_at, rolled_back_at, rollback_reason`

const find = statement<{ org: Uuid; id: Uuid }, Deployment>(
  'deployments.find',
  sql`select ${columns} from deployments where org_id = :org and id = :id`,
)

const findFirst = statement<{ org: Uuid; agentId: Uuid }, Deployment>(
  'deployments.find_first',
  sql`select ${columns} from deployments where org_id = :org and agent_id = :agentId order by id limit 1`,
)

const ofVersion = statement<{ org: Uuid; agentId: Uuid; version: number }, { id: string }>(
  'deployments.of_version',
  sql`select id from deployments where org_id = :org and agent_id = :agentId and version = :version
      order by id desc limit ${deploymentsBounds.deploymentsOfVersion.count}`,
)

const list = (org: string, page: DeploymentPage): Statement<Deployment> => {
  const conditions = [
    dynamicSql`org_id = ${org}`,
    page.within.ids && dynamicSql`agent_id = any (${[...page.within.ids]}::uuid[])`,
    page.status && dynamicSql`status = any (${[...page.status]}::text[])`,
    page.after && dynamicSql`id < ${page.after}`,
    page.before && dynamicSql`id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  return toStatement(dynamicSql`select ${dynamicSql.raw(columns)} from deployments
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by id ${order} limit ${page.limit}`)
}

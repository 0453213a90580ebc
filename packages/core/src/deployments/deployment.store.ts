import type { Database, Tx } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { type Statement, statement } from '@ars/platform/db/statement'
import type { Deployment } from './deployment.ts'

export const findDeployment = async (db: Database, org: string, id: string): Promise<Deployment | null> => {
  const [row] = await db.once<Deployment>(org, find(org, id))
  return row ?? null
}

/** The one that came with the agent itself. */
export const findFirstDeployment = async (db: Database, org: string, agentId: string): Promise<Deployment | null> => {
  const [row] = await db.once<Deployment>(org, findFirst(org, agentId))
  return row ?? null
}

/** As it is under the lock of its agent, which whoever changes it holds. */
export const readDeployment = async (tx: Tx, org: string, id: string): Promise<Deployment | null> => {
  const [row] = await tx.query<Deployment>(find(org, id))
  return row ?? null
}

export type DeploymentPage = {
  /** Null: those of all agents. */
  agentIds: readonly string[] | null
  status: Deployment['status'] | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listDeployments = (db: Database, org: string, page: DeploymentPage): Promise<Deployment[]> =>
  db.once<Deployment>(org, list(org, page))

export const columns = `id, agent_id, version, status, traffic_percent, rollback_rules, previous_deployment_id, source,
       created_by, created_by_type, created_at, activated_at, rolled_back_at, rollback_reason`

const find = statement('deployments.find', `select ${columns} from deployments where org_id = $1 and id = $2`)

const findFirst = statement(
  'deployments.find_first',
  `select ${columns} from deployments where org_id = $1 and agent_id = $2 order by id limit 1`,
)

const list = (org: string, page: DeploymentPage): Statement => {
  const conditions = [
    sql`org_id = ${org}`,
    page.agentIds && sql`agent_id = any (${page.agentIds}::uuid[])`,
    page.status && sql`status = ${page.status}`,
    page.after && sql`id < ${page.after}`,
    page.before && sql`id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  return toStatement(sql`select ${sql.raw(columns)} from deployments
    where ${sql.join(conditions, sql` and `)} order by id ${order} limit ${page.limit}`)
}

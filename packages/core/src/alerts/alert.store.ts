import type { Alert, AlertSnapshot, AlertTerms } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Json, type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AllowedAgents } from '../agent-access.ts'
import type { AlertRow } from './alert.ts'

export const findAlert = async (db: Database, org: string, id: string): Promise<AlertRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

export type AlertPage = {
  /** Alerts of these agents only. */
  within: AllowedAgents
  status: readonly Alert['status'][] | null
  severity: readonly Alert['severity'][] | null
  ruleId: string | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listAlerts = (db: Database, org: string, page: AlertPage): Promise<AlertRow[]> =>
  db.once(org, list(org, page))

export type NewAlert = { id: string; ruleId: string; agentId: string | null; rule: AlertTerms; snapshot: AlertSnapshot }

export const insertAlert = async (tx: Tx, org: string, alert: NewAlert): Promise<AlertRow> => {
  const { id, ruleId, agentId, rule, snapshot } = alert
  const json = { rule: JSON.stringify(rule), snapshot: JSON.stringify(snapshot) }
  const [row] = await tx.query(add({ org, id, ruleId, agentId, severity: rule.severity, ...json }))
  if (!row) throw new Error('The database did not return the alert that was inserted')
  return row
}

/** Null: it was resolved before. */
export const resolveAlert = async (
  tx: Tx,
  org: string,
  { id, resolution }: { id: string; resolution: NonNullable<Alert['resolution']> },
): Promise<AlertRow | null> => {
  const [row] = await tx.query(resolve({ org, id, resolution }))
  return row ?? null
}

const columns = 'id, agent_id, rule, triggered_at, resolved_at, resolution, snapshot'

const find = statement<{ org: Uuid; id: Uuid }, AlertRow>(
  'alerts.find',
  sql`select ${columns} from alerts where org_id = :org and id = :id`,
)

const add = statement<
  { org: Uuid; id: Uuid; ruleId: Uuid; agentId: Uuid | null; rule: Json; severity: string; snapshot: Json },
  AlertRow
>(
  'alerts.add',
  sql`insert into alerts (id, org_id, rule_id, agent_id, rule, severity, snapshot)
      values (:id, :org, :ruleId, :agentId, :rule, :severity, :snapshot) returning ${columns}`,
)

const resolve = statement<{ org: Uuid; id: Uuid; resolution: string }, AlertRow>(
  'alerts.resolve',
  sql`update alerts set resolved_at = app_now(), resolution = :resolution
       where org_id = :org and id = :id and resolved_at is null returning ${columns}`,
)

const list = (org: string, page: AlertPage): Statement<AlertRow> => {
  const conditions = [
    dynamicSql`org_id = ${org}`,
    page.within.ids && dynamicSql`agent_id = any (${[...page.within.ids]}::uuid[])`,
    page.ruleId && dynamicSql`rule_id = ${page.ruleId}`,
    page.severity && dynamicSql`severity = any (${[...page.severity]}::text[])`,
    page.status?.length === 1 && dynamicSql`(resolved_at is null) = ${page.status[0] === 'firing'}`,
    page.after && dynamicSql`id < ${page.after}`,
    page.before && dynamicSql`id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => typeof condition === 'object' && condition !== null)
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  return toStatement(dynamicSql`select ${dynamicSql.raw(columns)} from alerts
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by id ${order} limit ${page.limit}`)
}

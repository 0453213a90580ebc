import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type NoParameters, type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AllowedAgents } from '../agent-access.ts'
import type { AlertRuleRow, RuleStanding } from './alert-rule.ts'

export const findRule = async (db: Database, org: string, id: string): Promise<AlertRuleRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** Locks a rule until the commit, so that it is not evaluated while it changes. */
export const lockRule = async (tx: Tx, org: string, id: string): Promise<AlertRuleRow | null> => {
  const [row] = await tx.query(lockOne({ org, id }))
  return row ?? null
}

export type RulePage = { within: AllowedAgents; after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listRules = (db: Database, org: string, page: RulePage): Promise<AlertRuleRow[]> =>
  db.once(org, list(org, page))

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockRules = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

export const countRules = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.rules ?? 0
}

export type RuleContent = Omit<AlertRuleRow, keyof RuleStanding | 'org_id' | 'alert_id' | 'revision' | 'created_at'>
type Author = { by: string; type: 'key' | 'user' }

export const insertRule = async (tx: Tx, org: string, rule: RuleContent, author: Author): Promise<AlertRuleRow> => {
  const [row] = await tx.query(
    add({
      org,
      ...parametersOf(rule),
      metric: rule.metric,
      errorCode: rule.error_code,
      agentId: rule.agent_id,
      ...author,
    }),
  )
  if (!row) throw new Error('The database did not return the rule that was inserted')
  return row
}

/** Stores new content. `restarts`: the rule begins again in state ok, and the caller resolves its alert. */
export const updateRule = async (
  tx: Tx,
  org: string,
  rule: RuleContent,
  { restarts }: { restarts: boolean },
): Promise<AlertRuleRow> => {
  const [row] = await tx.query(change({ org, ...parametersOf(rule), restarts }))
  if (!row) throw new Error('The database did not return the rule that was changed')
  return row
}

export const deleteRule = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(remove({ org, id }))
}

/** The time of the database, which dates the figures. */
export const readRuleTime = async (db: Database, org: string): Promise<Date> => {
  const [row] = await db.once(org, time())
  if (!row) throw new Error('The database did not return its time')
  return row.at
}

export const ruleColumns = `id, org_id, name, metric, error_code, agent_id, operator, threshold, window_seconds, for_seconds,
       min_sample_size, severity, enabled, state, pending_since, clear_since, alert_id, revision, created_at`

const parametersOf = (rule: RuleContent) => ({
  id: rule.id,
  name: rule.name,
  operator: rule.operator,
  threshold: rule.threshold,
  windowSeconds: rule.window_seconds,
  forSeconds: rule.for_seconds,
  minSampleSize: rule.min_sample_size,
  severity: rule.severity,
  enabled: rule.enabled,
})

type Content = {
  org: Uuid
  id: Uuid
  name: string
  operator: string
  threshold: number
  windowSeconds: number
  forSeconds: number
  minSampleSize: number
  severity: string
  enabled: boolean
}

const time = statement<NoParameters, { at: Date }>('alert_rules.time', sql`select app_now() as at`)

const find = statement<{ org: Uuid; id: Uuid }, AlertRuleRow>(
  'alert_rules.find',
  sql`select ${ruleColumns} from alert_rules where org_id = :org and id = :id`,
)

const lockOne = statement<{ org: Uuid; id: Uuid }, AlertRuleRow>(
  'alert_rules.lock_one',
  sql`select ${ruleColumns} from alert_rules where org_id = :org and id = :id for update`,
)

const lock = statement<{ org: Uuid }>(
  'alert_rules.lock',
  sql`select pg_advisory_xact_lock(hashtextextended('alert_rules ' || :org, 0))`,
)

const count = statement<{ org: Uuid }, { rules: number }>(
  'alert_rules.count',
  sql`select count(*)::integer as rules from alert_rules where org_id = :org`,
)

const add = statement<
  Content & { metric: string; errorCode: string | null; agentId: Uuid | null; by: Uuid; type: string },
  AlertRuleRow
>(
  'alert_rules.add',
  sql`insert into alert_rules (id, org_id, name, metric, error_code, agent_id, operator, threshold, window_seconds, for_seconds,
        min_sample_size, severity, enabled, due_at, created_by, created_by_type)
      values (:id, :org, :name, :metric, :errorCode, :agentId, :operator, :threshold, :windowSeconds, :forSeconds, :minSampleSize,
        :severity, :enabled, case when :enabled then app_now() end, :by, :type)
      returning ${ruleColumns}`,
)

const change = statement<Content & { restarts: boolean }, AlertRuleRow>(
  'alert_rules.change',
  sql`update alert_rules
         set name = :name, operator = :operator, threshold = :threshold, window_seconds = :windowSeconds,
             for_seconds = :forSeconds, min_sample_size = :minSampleSize, severity = :severity, enabled = :enabled,
             due_at = case when :enabled then coalesce(due_at, app_now()) end, revision = revision + 1,
             state = case when :restarts then 'ok' else state end,
             pending_since = case when :restarts then null else pending_since end,
             clear_since = case when :restarts then null else clear_since end,
             alert_id = case when :restarts then null else alert_id end
       where org_id = :org and id = :id returning ${ruleColumns}`,
)

const remove = statement<{ org: Uuid; id: Uuid }>(
  'alert_rules.remove',
  sql`delete from alert_rules where org_id = :org and id = :id`,
)

const list = (org: string, page: RulePage): Statement<AlertRuleRow> => {
  const conditions = [
    dynamicSql`org_id = ${org}`,
    page.within.ids && dynamicSql`agent_id = any (${[...page.within.ids]}::uuid[])`,
    page.after && dynamicSql`id < ${page.after}`,
    page.before && dynamicSql`id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  return toStatement(dynamicSql`select ${dynamicSql.raw(ruleColumns)} from alert_rules
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by id ${order} limit ${page.limit}`)
}

import type { AlertMetric } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { ruleColumns } from './alert-rule.store.ts'
import type { AlertRuleRow, RuleStanding } from './alert-rule.ts'

/** A rule to evaluate. `now`: the time of the database. */
export type DueRule = AlertRuleRow & { now: Date }

export type DuePage = {
  limit: number
  everySeconds: number
  /** The figures by minute are complete up to this time. */
  asOf: Date
  /** The rules of these metrics are due however old the figures are. */
  liveMetrics: readonly AlertMetric[]
}

/** How old figures may be: with older ones a rule keeps its state. */
const staleAfterMs = 60_000

// crosses organisations: a background job evaluates the rules of all organisations. A rule becomes due again, so that it
// survives a worker that crashes.
export const takeDueRules = (db: Database, page: DuePage): Promise<DueRule[]> =>
  db.once(null, takeDue({ ...page, staleAfterMs }))

/** Stores where a rule stands. Null: the rule has changed since it was read, and nothing was stored. */
export const moveRule = async (
  tx: Tx,
  org: string,
  { id, revision, standing, alertId }: { id: string; revision: number; standing: RuleStanding; alertId: string | null },
): Promise<AlertRuleRow | null> => {
  const { state, pending_since: pendingSince, clear_since: clearSince } = standing
  const [row] = await tx.query(move({ org, id, revision, state, pendingSince, clearSince, alertId }))
  return row ?? null
}

/** Seconds that the rule which waits longest is overdue, and rules that fire. */
// crosses organisations: metrics for the operator.
export const readRuleMetrics = async (db: Database): Promise<{ lagSeconds: number; firing: number }> => {
  const [row] = await db.once(null, readMetrics())
  return { lagSeconds: row?.lag_seconds ?? 0, firing: row?.firing ?? 0 }
}

// The rules of an organisation are due at the same times, each organisation at other ones, so that they share what is read.
const takeDue = statement<DuePage & { staleAfterMs: number }, DueRule>(
  'alert_rules.take_due',
  sql`with due as (
    select id as due_id, make_interval(secs => mod(abs(hashtext(org_id::text)::bigint), :everySeconds::integer)) as phase
      from alert_rules
     where due_at <= app_now()
       and (:asOf::timestamptz >= app_now() - make_interval(secs => :staleAfterMs::double precision / 1000)
         or metric = any (:liveMetrics::text[]))
     order by due_at limit :limit for update skip locked
  )
  -- The next time of the organisation that is at least a third of the interval away. The array keeps this a lookup of a few
  -- rows, for any number of rules.
  update alert_rules
     set due_at = date_bin(make_interval(secs => :everySeconds::integer),
           app_now() + make_interval(secs => :everySeconds::integer / 3.0) - phase, 'epoch')
         + make_interval(secs => :everySeconds::integer) + phase
    from due where id = due_id and id = any (array(select due_id from due))
  returning ${ruleColumns}, app_now() as now`,
)

const move = statement<
  {
    org: Uuid
    id: Uuid
    revision: number
    state: string
    pendingSince: Date | null
    clearSince: Date | null
    alertId: Uuid | null
  },
  AlertRuleRow
>(
  'alert_rules.move',
  sql`update alert_rules
         set state = :state, pending_since = :pendingSince, clear_since = :clearSince, alert_id = :alertId, revision = revision + 1
       where org_id = :org and id = :id and revision = :revision and enabled returning ${ruleColumns}`,
)

const readMetrics = statement<NoParameters, { lag_seconds: number; firing: number }>(
  'alert_rules.metrics',
  sql`select greatest(0, coalesce((select extract(epoch from app_now() - min(due_at)) from alert_rules
            where due_at is not null), 0))::double precision as lag_seconds,
          (select count(*) from alerts where resolved_at is null)::integer as firing`,
)

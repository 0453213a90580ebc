import type { Plan } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type Figures, type FiguresRow, figureColumns, toFigures } from './figures.ts'

/** What the organisation may use, and how much of it is used. */
export type Standing = {
  plan: Plan
  periodStart: Date
  periodEnd: Date
  callsUsed: number
  callsLimit: number
  requestsPerMinute: number
  burst: number
  runsUnderWay: number
  concurrentRuns: number
  storedBytes: number
}

/** `month`: its first day. */
export const findStanding = async (db: Database, org: string, month: string): Promise<Standing | null> => {
  const [row] = await db.once(org, standing({ org, month }))
  if (!row) return null
  const { calls_used, calls_per_month, stored_bytes, ...rest } = row
  return {
    plan: rest.plan,
    periodStart: rest.starts,
    periodEnd: rest.ends,
    callsUsed: Number(calls_used),
    callsLimit: Number(calls_per_month),
    requestsPerMinute: rest.requests_per_minute,
    burst: rest.burst,
    runsUnderWay: rest.runs_under_way,
    concurrentRuns: rest.concurrent_runs,
    storedBytes: Number(stored_bytes),
  }
}

export type MonthRow = { id: string; name: string | null; figures: Figures }

/** The figures of a month by agent or by API key, most runs first. */
export const listMonth = async (
  db: Database,
  org: string,
  asked: { month: string; scope: 'agent' | 'key'; agentIds: readonly string[] | null; limit: number },
): Promise<MonthRow[]> => {
  const rows = await db.once(org, monthBy({ org, ...asked }))
  return rows.map((row) => ({ id: row.id, name: row.name, figures: toFigures(row) }))
}

export type DayRow = { date: string; figures: Figures }

/** The days of a month: of the organisation, or of some agents together. */
export const listDays = async (
  db: Database,
  org: string,
  asked: { month: string; agentIds: readonly string[] | null },
): Promise<DayRow[]> => {
  const rows = await db.once(org, days({ org, ...asked }))
  return rows.map((row) => ({ date: row.date, figures: toFigures(row) }))
}

type StandingRow = {
  plan: Plan
  starts: Date
  ends: Date
  calls_used: string
  calls_per_month: string
  requests_per_minute: number
  burst: number
  runs_under_way: number
  concurrent_runs: number
  stored_bytes: string
}

const standing = statement<{ org: Uuid; month: string }, StandingRow>(
  'usage.standing',
  sql`select o.plan, :month::date::timestamp at time zone 'utc' as starts,
          (:month::date + interval '1 month') at time zone 'utc' as ends,
          (select coalesce(sum(calls), 0) from call_counts where org_id = :org and month = :month::date) as calls_used,
          o.calls_per_month, o.requests_per_minute, o.burst, o.concurrent_runs, o.stored_bytes,
          (select count(*)::integer from run_heads where org_id = :org and is_admitted) as runs_under_way
     from organisations o where o.id = :org`,
)

// The histograms are not shown.
const sums = `${figureColumns.map((column) => `sum(u.${column}) as ${column}`).join(', ')},
          null as errors, null as latency, null as queue`

const monthBy = statement<
  { org: Uuid; month: string; scope: string; agentIds: readonly Uuid[] | null; limit: number },
  FiguresRow & { id: string; name: string | null }
>(
  'usage.month_by',
  sql`select case when :scope::text = 'agent' then u.agent_id else u.api_key_id end as id, coalesce(a.name, k.name) as name, ${sums}
     from usage_buckets u
     left join agents a on :scope::text = 'agent' and a.id = u.agent_id and a.org_id = :org
     left join api_keys k on :scope::text = 'key' and k.id = u.api_key_id and k.org_id = :org
    where u.org_id = :org and u.width = 'day' and u.scope = :scope::text
      and u.bucket >= :month::date::timestamp at time zone 'utc'
      and u.bucket < (:month::date + interval '1 month') at time zone 'utc'
      and (:agentIds::uuid[] is null or u.agent_id = any (:agentIds))
    group by 1, 2 order by sum(u.completed + u.failed + u.cancelled) desc, 1 limit :limit`,
)

const days = statement<{ org: Uuid; month: string; agentIds: readonly Uuid[] | null }, FiguresRow & { date: string }>(
  'usage.days',
  sql`select to_char(u.bucket at time zone 'utc', 'YYYY-MM-DD') as date, ${sums}
     from usage_buckets u
    where u.org_id = :org and u.width = 'day' and u.scope = case when :agentIds::uuid[] is null then 'total' else 'agent' end
      and u.bucket >= :month::date::timestamp at time zone 'utc'
      and u.bucket < (:month::date + interval '1 month') at time zone 'utc'
      and (:agentIds::uuid[] is null or u.agent_id = any (:agentIds))
    group by 1 order by 1`,
)

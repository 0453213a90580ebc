import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** The value of an organisation (`agentId` null) or of an agent at this moment. */
export type AskedValue = { org: string; agentId: string | null }

/** The used share of the monthly quota. Null: the organisation has no calls to use. */
// crosses organisations: a background job watches the quotas of all organisations.
export const listQuotaUsed = async (db: Database, orgs: readonly string[]): Promise<Map<string, number | null>> => {
  const rows = orgs.length === 0 ? [] : await db.once(null, quotas({ orgs }))
  return new Map(rows.map(({ id, used }) => [id, used]))
}

/** Minutes since the oldest open decision was asked for, in the order of `asked`. Null: nothing waits. */
// crosses organisations: a background job watches the waiting runs of all organisations.
export const listWaitingMinutes = async (db: Database, asked: readonly AskedValue[]): Promise<(number | null)[]> => {
  if (asked.length === 0) return []
  const [orgs, agents] = [asked.map(({ org }) => org), asked.map(({ agentId }) => agentId)]
  return (await db.once(null, waiting({ orgs, agents }))).map(({ minutes }) => minutes)
}

const quotas = statement<{ orgs: readonly Uuid[] }, { id: string; used: number | null }>(
  'alert_rules.quotas',
  sql`select o.id, (coalesce((select sum(c.calls) from call_counts c
            where c.org_id = o.id and c.month = date_trunc('month', app_now() at time zone 'utc')::date), 0)
          / nullif(o.calls_per_month, 0))::double precision as used
     from organisations o where o.id = any (:orgs::uuid[])`,
)

// Runs that wait are few beside those that run; `run_heads_parked` holds nothing else.
const waiting = statement<{ orgs: readonly Uuid[]; agents: readonly (Uuid | null)[] }, { minutes: number | null }>(
  'alert_rules.waiting',
  sql`with parked as materialized (
    select org_id, agent_id, waiting_since from run_heads
     where waits_for is null and not is_admitted and waiting_since is not null and org_id = any (:orgs::uuid[])
  )
  select (extract(epoch from app_now() - (
           select min(p.waiting_since) from parked p
            where p.org_id = a.org_id and (a.agent_id is null or p.agent_id = a.agent_id))) / 60)::double precision as minutes
    from unnest(:orgs::uuid[], :agents::uuid[]) with ordinality as a (org_id, agent_id, number)
   order by a.number`,
)

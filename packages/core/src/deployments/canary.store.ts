import type { RollbackRule } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { EndedRun } from './run-sample.ts'

export type DueCanary = {
  id: string
  org_id: string
  agent_id: string
  rollback_rules: RollbackRule[]
  previous_deployment_id: string | null
}

// crosses organisations: a background job checks the rules of all canaries. A canary becomes due again, so that it survives
// a worker that crashes. A canary of an archived agent gets no runs and is not checked any more.
export const takeDueCanaries = (db: Database, page: { limit: number; againAfterMs: number }): Promise<DueCanary[]> =>
  db.once(null, takeDue({ limit: page.limit, againAfterMs: page.againAfterMs }))

/** The newest ended runs of a deployment that were watched, at most `limit`. Cancelled runs do not count. */
export const listEndedRuns = async (
  db: Database,
  org: string,
  { deploymentId, windowSeconds, limit }: { deploymentId: string; windowSeconds: number; limit: number },
): Promise<EndedRun[]> => {
  const rows = await db.once(org, ended({ org, deploymentId, windowSeconds, limit, maxRuns: maxRunsLookedAt }))
  return rows.map((row) => ({
    failed: row.failed,
    latencyMs: row.latency_ms,
    costUsd: row.cost_usd,
    ageSeconds: row.age_seconds,
  }))
}

/** The ended runs are searched among this many of the newest runs, which may also be in progress or cancelled. */
const maxRunsLookedAt = 20_000

type EndedRow = { failed: boolean; latency_ms: number; cost_usd: number | null; age_seconds: number }

const takeDue = statement<{ limit: number; againAfterMs: number }, DueCanary>(
  'deployments.take_due',
  sql`with due as (
    select d.id, a.status = 'active' as is_used
      from deployments d join agents a on a.id = d.agent_id
     where d.check_at <= app_now() order by d.check_at limit :limit for update of d skip locked

  -- The array keeps this a lookup of a few rows, for any number of deployments.
  ), taken as (
    update deployments d
       set check_at = case when due.is_used then app_now() + make_interval(secs => :againAfterMs::double precision / 1000) end
      from due where d.id = due.id and d.id = any (array(select id from due))
    returning d.id, d.org_id, d.agent_id, d.rollback_rules, d.previous_deployment_id, d.status, due.is_used
  )
  select id, org_id, agent_id, rollback_rules, previous_deployment_id from taken where is_used and status = 'canary'`,
)

// Ids start with their time, so the index is in the order of time. `limit` keeps the join a lookup for each run.
const ended = statement<
  { org: Uuid; deploymentId: Uuid; windowSeconds: number; limit: number; maxRuns: number },
  EndedRow
>(
  'deployments.ended_runs',
  sql`select e.status = 'failed' as failed, e.cost_usd::double precision as cost_usd,
          greatest(0, extract(epoch from e.finished_at - r.created_at) * 1000 - e.waiting_ms)::double precision as latency_ms,
          extract(epoch from app_now() - r.created_at)::double precision as age_seconds
     from (select id, created_at from runs
            where org_id = :org and deployment_id = :deploymentId and is_watched
              and id >= uuid_floor(app_now() - make_interval(secs => :windowSeconds))
            order by id desc limit :maxRuns) r
     cross join lateral (
       select e.status, e.cost_usd, e.finished_at, e.waiting_ms
         from run_results e where e.org_id = :org and e.run_id = r.id and e.status in ('completed', 'failed') limit 1
     ) e
    limit :limit`,
)

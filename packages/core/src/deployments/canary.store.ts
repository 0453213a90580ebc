import { limits, type RollbackRule } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { deploymentsBounds } from './bounds.ts'
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

/**
 * The newest ended runs of a deployment that were watched, created within the window before `until` and ended by then
 * (null: now), at most 2,000. Cancelled runs do not count.
 */
export const listEndedRuns = async (
  db: Database,
  org: string,
  asked: { deploymentId: string; windowSeconds: number; until: Date | null; limit?: number },
): Promise<EndedRun[]> => {
  const rows = await db.once(org, ended({ org, limit: maxRunsPerSide, maxRuns: maxRunsLookedAt, ...asked }))
  return rows.map((row) => ({
    failed: row.failed,
    latencyMs: row.latency_ms,
    costUsd: row.cost_usd,
    ageSeconds: row.age_seconds,
  }))
}

/** The time of the database. */
export const readNow = async (db: Database, org: string): Promise<Date> => {
  const [row] = await db.once(org, timeOfDatabase())
  if (!row) throw new Error('The database has no time')
  return row.at
}

/** More would make the metrics older and hardly more certain. */
const maxRunsPerSide = limits.rollbackMinRunsMax
/** The ended runs are searched among this many of the newest runs, which may also be in progress or cancelled. */
const maxRunsLookedAt = deploymentsBounds.runsCompared.count

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

const timeOfDatabase = statement<NoParameters, { at: Date }>('deployments.now', sql`select app_now() as at`)

// Ids start with their time, so the index is in the order of time. `limit` keeps the join a lookup for each run. The
// clock of a gateway, which makes the ids, may be ahead of the database by less than a minute.
const ended = statement<
  { org: Uuid; deploymentId: Uuid; windowSeconds: number; until: Date | null; limit: number; maxRuns: number },
  EndedRow
>(
  'deployments.ended_runs',
  sql`select e.status = 'failed' as failed, e.cost_usd::double precision as cost_usd,
          greatest(0, extract(epoch from e.finished_at - r.created_at) * 1000 - e.waiting_ms)::double precision as latency_ms,
          extract(epoch from coalesce(:until::timestamptz, app_now()) - r.created_at)::double precision as age_seconds
     from (select id, created_at from runs
            where org_id = :org and deployment_id = :deploymentId and is_watched
              and id >= uuid_floor(coalesce(:until::timestamptz, app_now()) - make_interval(secs => :windowSeconds))
              and id < coalesce(uuid_floor(:until::timestamptz + interval '1 minute'), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
            order by id desc limit :maxRuns) r
     cross join lateral (
       select e.status, e.cost_usd, e.finished_at, e.waiting_ms
         from run_results e where e.org_id = :org and e.run_id = r.id and e.status in ('completed', 'failed')
          and e.finished_at <= coalesce(:until::timestamptz, 'infinity') limit 1
     ) e
    limit :limit`,
)

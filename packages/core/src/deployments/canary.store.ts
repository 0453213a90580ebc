import type { RollbackRule } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { EndedRun } from './run-sample.ts'

export type DueCanary = {
  id: string
  org_id: string
  agent_id: string
  rollback_rules: RollbackRule[]
  previous_deployment_id: string | null
}

// crosses organisations: canaries whose rules are due are looked at by the service itself, whoever released them. They come
// due again, so a worker that dies loses none; those of an archived agent get no runs and are not looked at any more.
export const takeDueCanaries = (db: Database, page: { limit: number; againAfterMs: number }): Promise<DueCanary[]> =>
  db.once<DueCanary>(null, takeDue(page.limit, page.againAfterMs))

/** The newest ended runs of a deployment of the time in which it was watched, at most `limit`. Cancelled ones do not count. */
export const listEndedRuns = async (
  db: Database,
  org: string,
  { deploymentId, windowSeconds, limit }: { deploymentId: string; windowSeconds: number; limit: number },
): Promise<EndedRun[]> => {
  const rows = await db.once<EndedRow>(org, ended(org, deploymentId, windowSeconds, limit, runsLookedAtMost))
  return rows.map((row) => ({
    failed: row.failed,
    latencyMs: row.latency_ms,
    costUsd: row.cost_usd,
    ageSeconds: row.age_seconds,
  }))
}

/** Also those that are under way or cancelled: among so many of the newest the ended ones are looked for. */
const runsLookedAtMost = 20_000

type EndedRow = { failed: boolean; latency_ms: number; cost_usd: number | null; age_seconds: number }

// The array keeps it a look-up of a few rows, however many deployments there are.
const takeDue = statement(
  'deployments.take_due',
  `with due as (
    select d.id, a.status = 'active' as is_used
      from deployments d join agents a on a.id = d.agent_id
     where d.check_at <= app_now() order by d.check_at limit $1 for update of d skip locked
  ), taken as (
    update deployments d
       set check_at = case when due.is_used then app_now() + make_interval(secs => $2::double precision / 1000) end
      from due where d.id = due.id and d.id = any (array(select id from due))
    returning d.id, d.org_id, d.agent_id, d.rollback_rules, d.previous_deployment_id, d.status, due.is_used
  )
  select id, org_id, agent_id, rollback_rules, previous_deployment_id from taken where is_used and status = 'canary'`,
)

// The index is in the order of ids, which begin with their time. `limit` keeps the join a look-up for each run.
const ended = statement(
  'deployments.ended_runs',
  `select e.status = 'failed' as failed, e.cost_usd::double precision as cost_usd,
          greatest(0, extract(epoch from e.finished_at - r.created_at) * 1000 - e.waiting_ms)::double precision as latency_ms,
          extract(epoch from app_now() - r.created_at)::double precision as age_seconds
     from (select id, created_at from runs
            where org_id = $1 and deployment_id = $2 and is_watched
              and id >= uuid_floor(app_now() - make_interval(secs => $3))
            order by id desc limit $5) r
     cross join lateral (
       select e.status, e.cost_usd, e.finished_at, e.waiting_ms
         from run_results e where e.org_id = $1 and e.run_id = r.id and e.status in ('completed', 'failed') limit 1
     ) e
    limit $4`,
)

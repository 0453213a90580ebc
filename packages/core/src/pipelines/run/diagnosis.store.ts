import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { PipelineRunPage } from './pipeline-run.store.ts'

/** What an active pipeline run waits for. */
export type PipelineFacts = {
  due_at: Date
  is_due: boolean
  /** A worker works on it now. */
  is_held: boolean
  /** Turns in a row that made no progress. */
  tries: number
  /** Workers work on as many pipeline runs of the organisation as it may have in work. */
  is_share_used: boolean
  /** Pipeline runs that the caller sees and that workers work on now. */
  in_work: number
  /** Pipeline runs that the caller sees, were due before this one and wait for a turn. */
  due_before: number
  deadline_at: Date
  waiting: number
  running: number
  questions: number
  retry_at: Date | null
  last_progress_at: Date
  steps: string[]
  run_ids: string[]
}

/** Null: it has ended. */
export const findPipelineFacts = async (
  db: Database,
  org: string,
  asked: AskedFacts,
): Promise<PipelineFacts | null> => {
  const [row] = await db.once(org, facts({ org, ...asked }))
  return row ?? null
}

/** `owner`, `agentIds`: what the caller sees, as in a list. */
type AskedFacts = Pick<PipelineRunPage, 'owner' | 'agentIds'> & { id: string; perOrg: number; maxRuns: number }

const isSeen = `((:owner::uuid is null and :agentIds::text[] is null) or exists (
               select from pipeline_runs r
                 join pipeline_versions v on v.org_id = :org and v.pipeline_id = r.pipeline_id and v.version = r.pipeline_version
                where r.org_id = :org and r.id = w.pipeline_run_id and (:owner::uuid is null or r.owner_id = :owner)
                  and (:agentIds::text[] is null or not exists (
                    select from json_array_elements(v.definition -> 'steps') s where s ->> 'agent_id' <> all (:agentIds::text[])))))`

const facts = statement<{ org: Uuid } & AskedFacts, PipelineFacts>(
  'pipelines.diagnosis',
  sql`with item as materialized (
        select i.step, i.item, i.state, i.due_at, i.run_id, r.finished_at
          from pipeline_items i
          left join lateral (select finished_at from run_results where org_id = :org and run_id = i.run_id offset 0) r on true
         where i.org_id = :org and i.pipeline_run_id = :id and i.closed_at is null
      )
      select h.due_at, h.due_at <= app_now() as is_due, coalesce(h.held_until > app_now(), false) as is_held, h.tries, h.deadline_at,
             (select count(*) from pipeline_heads where org_id = :org and held_until > app_now()) >= :perOrg as is_share_used,
             (select count(*)::integer from pipeline_heads w where w.org_id = :org and w.held_until > app_now() and ${isSeen}) as in_work,
             (select count(*)::integer from pipeline_heads w
               where w.org_id = :org and w.due_at < h.due_at and w.due_at <= app_now() and (w.held_until is null or w.held_until <= app_now())
                 and ${isSeen}) as due_before,
             (select count(*)::integer from item where run_id is null and state in ('waiting', 'refused')) as waiting,
             (select count(*)::integer from item where run_id is not null and finished_at is null) as running,
             (select count(*)::integer from item where run_id is null and state = 'started') as questions,
             (select min(due_at) from item where state = 'refused' and due_at > app_now()) as retry_at,
             greatest(h.created_at, (select max(greatest(opened_at, settled_at)) from pipeline_steps
                where org_id = :org and pipeline_run_id = :id)) as last_progress_at,
             array(select key from pipeline_steps where org_id = :org and pipeline_run_id = :id and outcome is null order by key) as steps,
             array(select run_id from item where run_id is not null and finished_at is null order by run_id limit :maxRuns) as run_ids
        from pipeline_heads h where h.org_id = :org and h.pipeline_run_id = :id`,
)

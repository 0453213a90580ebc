import type { Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { recordEvent } from '../../events/index.ts'
import type { ClaimedHead } from './head.store.ts'

export type PipelineRunEnd = {
  status: 'completed' | 'failed' | 'cancelled'
  /** JSON. */
  output: string | null
  error: { code: string; message: string; step: string | null } | null
  eventId: string
}

/**
 * Ends a pipeline run: deletes the head, writes the result and records the event, which is read with the pipeline run. False: it has
 * ended before.
 */
export const endPipelineRun = async (
  tx: Tx,
  org: string,
  { id }: Pick<ClaimedHead, 'id'>,
  end: PipelineRunEnd,
): Promise<boolean> => {
  const { status, output, eventId } = end
  const error = end.error === null ? null : JSON.stringify(end.error)
  const rows = await tx.query(finish({ org, id, status, output, error }))
  if (rows.length === 0) return false
  await recordEvent(tx, org, { id: eventId, type: 'pipeline.completed', subjectId: id, data: null })
  return true
}

const finish = statement<
  { org: Uuid; id: Uuid; status: string; output: Json | null; error: Json | null },
  { id: string }
>(
  'pipelines.end_run',
  sql`with head as (
     delete from pipeline_heads where org_id = :org and pipeline_run_id = :id returning pipeline_run_id
   ), used as (
     -- Its own runs only: a rerun reuses outputs of the runs of another pipeline run.
     select coalesce(sum(x.input_tokens + x.output_tokens), 0) as tokens,
            case when count(*) = count(x.cost_usd) then coalesce(sum(x.cost_usd), 0) end as cost
       from runs r join run_results x on x.org_id = :org and x.run_id = r.id
      where r.org_id = :org and r.pipeline_run_id = :id
   )
   update pipeline_runs p
      set status = :status, output = :output::json,
          -- The words of the expression or of the run that failed the step, if one did.
          error = (:error::jsonb || coalesce((
            select jsonb_build_object('message', s.message) from pipeline_steps s
             where s.org_id = :org and s.pipeline_run_id = :id and s.key = :error::json ->> 'step' and s.message is not null
          ), (
            select jsonb_build_object('message', coalesce(i.message, x.error ->> 'message'))
              from pipeline_items i left join run_results x on x.org_id = :org and x.run_id = i.run_id
             where i.org_id = :org and i.pipeline_run_id = :id and i.step = :error::json ->> 'step' and i.code = :error::json ->> 'code'
               and coalesce(i.message, x.error ->> 'message') is not null
             order by i.closed_at, i.item limit 1), '{}'))::json,
          stored_bytes = octet_length(p.input::text) + coalesce(octet_length(:output::json::text), 0)
            + (select coalesce(sum(octet_length(list::text)), 0) from pipeline_steps where org_id = :org and pipeline_run_id = :id)
            + (select coalesce(sum(octet_length(question::text) + coalesce(octet_length(payload::text), 0)), 0) from pipeline_items
                where org_id = :org and pipeline_run_id = :id and question is not null),
          tokens_used = used.tokens, cost_usd = used.cost, finished_at = app_now()
     from head, used where p.org_id = :org and p.id = head.pipeline_run_id
   returning p.id`,
)

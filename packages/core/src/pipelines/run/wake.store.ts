import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { EventBatch } from '../../events/index.ts'
import { isAsleep } from '../../work-rows.store.ts'

/**
 * Makes the pipeline runs due whose runs have ended, in the transaction that assigns positions to events: every way to end a run writes an
 * event. `woken`: how many were not due before. `asking`: pipeline runs of which a run waits for a person since.
 */
// crosses organisations: a batch holds events of all organisations; a run wakes the pipeline run that it belongs to.
export const wakePipelineRuns = async (tx: Tx, { ids, firstId, lastId }: EventBatch): Promise<PipelineWake> => {
  const rows = await tx.query(wake({ eventIds: ids, firstId, lastId }))
  const asking = rows.filter(({ is_woken }) => !is_woken)
  return {
    woken: rows.length - asking.length,
    asking: asking.map(({ org_id, pipeline_run_id }) => ({ org: org_id, id: pipeline_run_id })),
  }
}

type PipelineWake = { woken: number; asking: readonly { org: string; id: string }[] }

const wake = statement<
  { eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid },
  { org_id: string; pipeline_run_id: string; is_woken: boolean }
>(
  'pipelines.wake',
  sql`with told as materialized (
     select e.subject_id, e.type from events e
      where e.id = any (:eventIds::uuid[]) and e.id >= :firstId and e.id <= :lastId
        and e.webhook_id is null and e.type in ('run.completed', 'run.failed', 'run.cancelled', 'run.requires_action')
   ), over as (
     delete from pipeline_waits
      where run_id = any (array(select subject_id from told where type <> 'run.requires_action')) returning pipeline_run_id

   -- In the order of the ids, so that nobody waits in a circle. The results of the runs were committed before their events were read here:
   -- a worker that decides after this statement reads them, and one that decides now holds the lock.
   ), head as materialized (
     select pipeline_run_id from pipeline_heads
      where pipeline_run_id = any (array(select pipeline_run_id from over)) and ${isAsleep}
      order by pipeline_run_id for update
   ), woken as (
     update pipeline_heads h set due_at = app_now() from head where h.pipeline_run_id = head.pipeline_run_id
     returning h.org_id, h.pipeline_run_id
   )
   select org_id, pipeline_run_id, true as is_woken from woken
   union all
   select org_id, pipeline_run_id, false from pipeline_waits
    where run_id = any (array(select subject_id from told where type = 'run.requires_action'))`,
)

import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { EventBatch } from '../../events/index.ts'

/**
 * Makes the pipeline runs due whose runs have ended, in the transaction that assigns positions to events: every way to end a run writes an
 * event. Answers how many were not due before.
 */
// crosses organisations: a batch holds events of all organisations; a run wakes the pipeline run that it belongs to.
export const wakePipelineRuns = async (tx: Tx, { ids, firstId, lastId }: EventBatch): Promise<number> =>
  (await tx.query(wake({ eventIds: ids, firstId, lastId }))).length

const wake = statement<{ eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid }, { pipeline_run_id: string }>(
  'pipelines.wake',
  sql`with ended as materialized (
     select e.subject_id from events e
      where e.id = any (:eventIds::uuid[]) and e.id >= :firstId and e.id <= :lastId
        and e.webhook_id is null and e.type in ('run.completed', 'run.failed', 'run.cancelled')
   ), over as (
     delete from pipeline_waits where run_id = any (array(select subject_id from ended)) returning pipeline_run_id

   -- In the order of the ids, so that nobody waits in a circle. The results of the runs were committed before their events were read here:
   -- a worker that decides after this statement reads them, and one that decides now holds the lock.
   ), head as materialized (
     select pipeline_run_id from pipeline_heads
      where pipeline_run_id = any (array(select pipeline_run_id from over)) and due_at > app_now()
      order by pipeline_run_id for update
   )
   update pipeline_heads h set due_at = app_now() from head where h.pipeline_run_id = head.pipeline_run_id
   returning h.pipeline_run_id`,
)

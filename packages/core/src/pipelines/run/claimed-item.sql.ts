/** The fields of an offered run that name its item; null: the run belongs to no pipeline run. */
export const itemFields = 'pipeline_run_id uuid, pipeline_step text, pipeline_item integer, pipeline_attempt integer'

/**
 * SQL that claims the items of offered runs. `from`: a CTE with `id` (of the run), `refusal` and the columns of `itemFields`. The CTE
 * `item` has the column `run_id`, for each item that was claimed. An item that has a run, is closed or was refused is not claimed: an
 * attempt becomes one run at most. The items are locked in the order of their key, as by the worker that reads them. `:pipelineRunIds` names
 * the pipeline runs once more: the planner expects many rows, and reads the open items of these at most.
 */
export const claimItems = (from: string): string => `), open_item as materialized (
    select a.id, i.pipeline_run_id, i.step, i.item, i.attempt
      from ${from} a
      join pipeline_items i on i.org_id = :org and i.pipeline_run_id = a.pipeline_run_id and i.step = a.pipeline_step
       and i.item = a.pipeline_item and i.attempt = a.pipeline_attempt
     where i.pipeline_run_id = any (:pipelineRunIds::uuid[]) and i.closed_at is null and i.run_id is null and i.state = 'waiting'
       and a.refusal is null
     order by i.pipeline_run_id, i.step, i.item, i.attempt for update of i
  ), item as (
    update pipeline_items i set run_id = o.id, state = 'started', code = null, due_at = null
      from open_item o
     where i.pipeline_run_id = any (:pipelineRunIds::uuid[]) and i.closed_at is null and i.org_id = :org
       and i.pipeline_run_id = o.pipeline_run_id and i.step = o.step and i.item = o.item and i.attempt = o.attempt
    returning i.run_id, i.pipeline_run_id

  -- The end of the run wakes the pipeline run.
  ), wait as (
    insert into pipeline_waits (run_id, org_id, pipeline_run_id) select run_id, :org, pipeline_run_id from item
  `

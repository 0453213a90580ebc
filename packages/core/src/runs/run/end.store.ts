import { tokenColumns } from './tokens.ts'

/**
 * The SQL that follows the deletion of heads. Every way to end a run shares it, except `finish.sql.ts`. It expects a CTE
 * `head` with run_id, org_id, agent_id, seq (of the last event), end_status, end_error, event_id, started_at,
 * the columns of tokens, cost_usd, waiting_ms and stored_bytes. A run counts against limits while it has a head.
 */
export const afterEnd = `dropped as (
    delete from outbox o where o.run_id = any (array(select run_id from head))
  ), result as (
    insert into run_results (run_id, org_id, agent_id, status, error, ${tokenColumns()}, cost_usd, waiting_ms,
           last_seq, started_at, finished_at, stored_bytes)
    select run_id, org_id, agent_id, end_status, end_error, ${tokenColumns()}, cost_usd, waiting_ms, seq,
           started_at, app_now(), stored_bytes from head
  ), feed_event as (
    insert into run_events (run_id, seq, org_id, type) select run_id, seq, org_id, 'run.' || end_status from head
  ), public_event as (
    insert into events (id, org_id, type, subject_id) select event_id, org_id, 'run.' || end_status, run_id from head
  )`

/** The columns of a deleted head `h` that `afterEnd` needs. */
export const endedColumns = `h.run_id, h.org_id, h.agent_id, h.seq + 1 as seq, h.started_at,
           ${tokenColumns((column) => `h.${column}`)}, h.cost_usd, h.stored_bytes, h.step as steps, h.created_at,
           h.waiting_ms + case when h.waiting_since is null then 0
             else (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint end as waiting_ms`

/** The columns of `head` for the log line of an ended run: `EndedFacts`. */
export const endedFacts = `agent_id, end_status, end_error ->> 'code' as end_code, steps, input_tokens, output_tokens,
           (extract(epoch from app_now() - created_at) * 1000)::float8 as duration_ms`

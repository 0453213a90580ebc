import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'

/**
 * For the transaction that has accepted runs: gives each item its run. An item gets one run: if one of them has a run already, or was
 * dropped, `refuse_batch_item()` raises ARB01 and the transaction is rolled back. Items are locked in order, so that two transactions cannot deadlock. `items`: rows of `asked`.
 */
export const claimBatchItems = statement<{ org: Uuid; items: Json; firstBatch: Uuid | null; lastBatch: Uuid | null }>(
  'batches.claim_items',
  sql`with asked as materialized (
     select n.batch_id, n.number, n.run_id
       from json_to_recordset(:items::json) as n (batch_id uuid, number integer, run_id uuid)
       -- Refused runs have no head.
       cross join lateral (select from run_heads h where h.org_id = :org and h.run_id = n.run_id limit 1) h
   ), open as materialized (
     select i.batch_id, i.number, a.run_id
       from (select batch_id, number, run_id from asked order by batch_id, number) a
       cross join lateral (
         select i.batch_id, i.number from batch_items i
          where i.org_id = :org and i.batch_id = a.batch_id and i.number = a.number and i.state = 'waiting'
            and i.batch_id between :firstBatch and :lastBatch
            for update) i
   ), started as (
     update batch_items i set state = 'started', run_id = o.run_id, input = null from open o
      where i.org_id = :org and i.batch_id = o.batch_id and i.number = o.number and i.batch_id between :firstBatch and :lastBatch
   ), waits as (
     insert into batch_waits (run_id, org_id, batch_id) select run_id, :org, batch_id from open
   )
   select case when (select count(*) from asked) > (select count(*) from open) then refuse_batch_item() end`,
)

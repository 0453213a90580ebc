import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage, isCut } from '@ars/platform/db/fitting-page'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { ItemRow, OutcomeRow } from './batch-result.ts'

export type StartableItem = { number: number; input: Record<string, unknown> }

/** The first items that wait, from the number `from` on. */
export const listStartable = (
  db: Database,
  org: string,
  page: { batchId: string; from: number; limit: number },
): Promise<StartableItem[]> => db.once(org, startable({ org, ...page }))

export type ItemPage = { batchId: string; after: number | null; before: number | null; limit: number }

/** In order. With `before` the order is reversed. */
export const listItems = (db: Database, org: string, page: ItemPage): Promise<ItemRow[]> => {
  const { batchId, after, before, limit } = page
  return before === null
    ? db.once(org, listUp({ org, batchId, after: after ?? -1, limit }))
    : db.once(org, listDown({ org, batchId, before, limit }))
}

/** What became of runs, in the order of the ids. Ends early by bytes, after at least one run. */
export const listOutcomes = async (
  db: Database,
  org: string,
  runs: { ids: readonly string[]; maxBytes: number },
): Promise<{ outcomes: OutcomeRow[]; isCut: boolean }> => {
  if (runs.ids.length === 0) return { outcomes: [], isCut: false }
  const rows = await db.once(org, outcomes({ org, ...runs, ...idBounds(runs.ids) }))
  return { outcomes: rows, isCut: isCut(rows) }
}

/** The code of the error that `refuse_batch_item()` raises: the item has a run already, or was dropped. */
export const itemTakenCode = 'ARB01'

/**
 * For the transaction that has accepted runs: gives each item its run. An item gets one run: if one of them has a run already, or was
 * dropped, the transaction is rolled back. Items are locked in order, so that two transactions cannot deadlock. `items`: rows of `asked`.
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
     update batch_items i set state = 'started', run_id = o.run_id from open o
      where i.org_id = :org and i.batch_id = o.batch_id and i.number = o.number and i.batch_id between :firstBatch and :lastBatch
   ), waits as (
     insert into batch_waits (run_id, org_id, batch_id) select run_id, :org, batch_id from open
   )
   select case when (select count(*) from asked) > (select count(*) from open) then refuse_batch_item() end`,
)

const startable = statement<{ org: Uuid; batchId: Uuid; from: number; limit: number }, StartableItem>(
  'batches.startable',
  sql`select number, input from batch_items
    where org_id = :org and batch_id = :batchId and number >= :from and state = 'waiting' order by number limit :limit`,
)

const itemColumns = 'number, state, code, message, run_id'

const listUp = statement<{ org: Uuid; batchId: Uuid; after: number; limit: number }, ItemRow>(
  'batches.list_items',
  sql`select ${itemColumns} from batch_items
    where org_id = :org and batch_id = :batchId and number > :after order by number limit :limit`,
)

const listDown = statement<{ org: Uuid; batchId: Uuid; before: number; limit: number }, ItemRow>(
  'batches.list_items_before',
  sql`select ${itemColumns} from batch_items
    where org_id = :org and batch_id = :batchId and number < :before order by number desc limit :limit`,
)

type OutcomeParameters = {
  org: Uuid
  ids: readonly Uuid[]
  firstId: Uuid | null
  lastId: Uuid | null
  maxBytes: number
}

const outcomes = statement<OutcomeParameters, Fitting<OutcomeRow>>(
  'batches.outcomes',
  fittingPage(
    `select asked.id, asked.number, coalesce(e.status, h.status) as status, e.output, e.error, e.finished_at,
            coalesce(e.output_bytes, pg_column_size(e.output), 0) as bytes
       from unnest(:ids::uuid[]) with ordinality as asked (id, number)
       left join lateral (
         select e.status, e.output, e.error, e.finished_at, e.output_bytes from run_results e
          where e.org_id = :org and e.run_id = asked.id and e.run_id between :firstId and :lastId limit 1
       ) e on true
       left join lateral (select h.status from run_heads h where h.org_id = :org and h.run_id = asked.id limit 1) h on true`,
    { inner: 'id, number, status, output, error, finished_at', order: 'number' },
  ),
)

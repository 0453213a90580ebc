import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage, isCut } from '@ars/platform/db/fitting-page'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { ItemRow, OutcomeRow } from './batch-result.ts'

export { claimBatchItems } from './batch-claim.sql.ts'

export type StartableItem = { number: number; input: Record<string, unknown> }

/** The first items that wait, from the number `from` on. */
export const listStartable = (
  db: Database,
  org: string,
  page: { batchId: string; from: number; limit: number },
): Promise<StartableItem[]> => db.once(org, startable({ org, ...page }))

export type BatchItemPage = { batchId: string; after: number | null; before: number | null; limit: number }

/** In order. With `before` the order is reversed. */
export const listItems = (db: Database, org: string, page: BatchItemPage): Promise<ItemRow[]> => {
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

const startable = statement<{ org: Uuid; batchId: Uuid; from: number; limit: number }, StartableItem>(
  'batches.startable',
  sql`select number, input from batch_items
    where org_id = :org and batch_id = :batchId and number >= :from and state = 'waiting' order by number limit :limit`,
)

const itemColumns = 'number, custom_id, state, code, message, run_id'

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
            coalesce(e.output_bytes, 0) as bytes
       from unnest(:ids::uuid[]) with ordinality as asked (id, number)
       left join lateral (
         select e.status, e.output, e.error, e.finished_at, e.output_bytes from run_results e
          where e.org_id = :org and e.run_id = asked.id and e.run_id between :firstId and :lastId limit 1
       ) e on true
       left join lateral (select h.status from run_heads h where h.org_id = :org and h.run_id = asked.id limit 1) h on true`,
    { inner: 'id, number, status, output, error, finished_at', order: 'number' },
  ),
)

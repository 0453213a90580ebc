import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AllowedAgents } from '../agent-access.ts'
import { standingColumns } from '../work-rows.store.ts'
import type { WorkStanding } from '../work-wait.ts'
import { type BatchRow, batchShare } from './batch.ts'

/** A batch, and the agents to which its reader is narrowed; null: to none. */
export type SeenBatch = { id: string; agentIds: ReadonlySet<string> | null }

export const findBatch = async (db: Database, org: string, { id, agentIds }: SeenBatch): Promise<ShownBatch | null> => {
  const [row] = await db.once(org, find({ org, id, agentIds: agentIds && [...agentIds] }))
  return row ?? null
}

export const readBatch = async (tx: Tx, org: string, { id, agentIds }: SeenBatch): Promise<ShownBatch | null> => {
  const [row] = await tx.query(find({ org, id, agentIds: agentIds && [...agentIds] }))
  return row ?? null
}

/** `within`: those of these agents. `agentIds`: to which the reader is narrowed. */
export type BatchPage = Pick<SeenBatch, 'agentIds'> & {
  within: AllowedAgents
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listBatches = (db: Database, org: string, page: BatchPage): Promise<ShownBatch[]> => {
  const { after, before, limit } = page
  const seen = { agentIds: page.agentIds && [...page.agentIds], within: page.within.ids && [...page.within.ids] }
  return before === null
    ? db.once(org, listOlder({ org, ...seen, after, limit }))
    : db.once(org, listNewer({ org, ...seen, before, limit }))
}

/** Batches of an organisation begin one after the other, so that the limit holds. Only the end of a creation takes this lock. */
export const lockBatches = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

/** `isFull`: the organisation stores more than its plan allows. */
export const readBatchRoom = async (
  tx: Tx,
  org: string,
  storageLimits: Readonly<Record<string, number>>,
): Promise<{ isFull: boolean; active: number }> => {
  const [row] = await tx.query(room({ org, storageLimits: JSON.stringify(storageLimits) }))
  return row ?? { isFull: false, active: 0 }
}

export type NewBatch = {
  id: string
  agentId: string
  metadata: Record<string, string>
  timeoutSeconds: number | null
  items: number
  bytes: number
  by: string
  byType: 'key' | 'user'
}

export const insertBatch = async (tx: Tx, org: string, batch: NewBatch): Promise<void> => {
  await tx.query(insert({ org, ...batch, metadata: JSON.stringify(batch.metadata) }))
}

/** Items of a new batch, from the number `first` on. `items` is a JSON list of objects with `input` and `custom_id`. */
export const insertBatchItems = async (
  tx: Tx,
  org: string,
  page: { batchId: string; first: number; items: string },
): Promise<void> => {
  await tx.query(insertItems({ org, ...page }))
}

/** Stops the start of further items. The sweep does the rest. False: the batch is cancelled already, or has ended. */
export const cancelBatch = async (tx: Tx, org: string, id: string): Promise<boolean> =>
  (await tx.query(cancel({ org, id }))).length > 0

/** False: the batch has not ended, or was erased before. */
export const askErasure = async (tx: Tx, org: string, id: string): Promise<boolean> =>
  (await tx.query(ask({ org, id }))).length > 0

// crosses organisations: a metric for the operator.
export const countWaitingItems = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, countWaiting())
  return row?.items ?? 0
}

/** Of `batches b`. The organisation is `:org`. */
export const batchColumns = `b.id, b.org_id, b.agent_id, b.status, b.metadata, b.timeout_seconds, b.items, b.refused, b.dropped,
     b.completed, b.failed, b.cancelled, b.created_by, b.created_by_type, b.created_at, b.finished_at, b.erase_asked_at, b.erased_at,
     (select count(*)::integer from batch_waits w where w.org_id = b.org_id and w.batch_id = b.id) as running`

/** For people. */
export type ShownBatch = BatchRow & WorkStanding

const shownColumns = `${batchColumns}, ${standingColumns('batches', 'b', {
  where: 'due_at is not null',
  ofAgents: 'agent_id = any (:agentIds::uuid[])',
  perOrg: batchShare.perOrg,
})}`

type Seen = { org: Uuid; agentIds: readonly Uuid[] | null }

const find = statement<Seen & { id: Uuid }, ShownBatch>(
  'batches.find',
  sql`select ${shownColumns} from batches b where b.org_id = :org and b.id = :id`,
)

const isWithin = '(:within::uuid[] is null or b.agent_id = any (:within::uuid[]))'

type Page = Seen & { within: readonly Uuid[] | null; limit: number }

const listOlder = statement<Page & { after: Uuid | null }, ShownBatch>(
  'batches.list_older',
  sql`select ${shownColumns} from batches b
    where b.org_id = :org and ${isWithin} and (:after::uuid is null or b.id < :after) order by b.id desc limit :limit`,
)

const listNewer = statement<Page & { before: Uuid }, ShownBatch>(
  'batches.list_newer',
  sql`select ${shownColumns} from batches b
    where b.org_id = :org and ${isWithin} and b.id > :before order by b.id limit :limit`,
)

const lock = statement<{ org: Uuid }>(
  'batches.lock',
  sql`select pg_advisory_xact_lock(hashtextextended('batches ' || :org::text, 0)) is null`,
)

const room = statement<{ org: Uuid; storageLimits: Json }, { isFull: boolean; active: number }>(
  'batches.creation_room',
  sql`select coalesce(o.stored_bytes >= (:storageLimits::json ->> o.plan)::bigint, false) as "isFull",
          (select count(*)::integer from batches b where b.org_id = :org and b.finished_at is null) as active
     from organisations o where o.id = :org`,
)

const countWaiting = statement<NoParameters, { items: number }>(
  'batches.count_waiting',
  sql`select coalesce(sum(b.items - b.refused - b.dropped - b.completed - b.failed - b.cancelled
            - (select count(*) from batch_waits w where w.batch_id = b.id)), 0)::integer as items
     from batches b where b.finished_at is null`,
)

const insert = statement<Omit<NewBatch, 'metadata'> & { org: Uuid; metadata: Json }>(
  'batches.insert',
  sql`insert into batches (id, org_id, agent_id, metadata, timeout_seconds, items, bytes, created_by, created_by_type)
      values (:id, :org, :agentId, :metadata, :timeoutSeconds, :items, :bytes, :by, :byType)`,
)

const insertItems = statement<{ org: Uuid; batchId: Uuid; first: number; items: Json }>(
  'batches.insert_items',
  sql`insert into batch_items (batch_id, number, org_id, custom_id, input)
      select :batchId, :first::integer + n - 1, :org, item ->> 'custom_id', item -> 'input'
        from json_array_elements(:items::json) with ordinality as i (item, n)`,
)

const cancel = statement<{ org: Uuid; id: Uuid }>(
  'batches.cancel',
  sql`update batches set status = 'cancelling', due_at = app_now() where org_id = :org and id = :id and status = 'running'
      returning id`,
)

const ask = statement<{ org: Uuid; id: Uuid }>(
  'batches.ask_erasure',
  sql`update batches set erase_asked_at = app_now(), cursor = 0, due_at = app_now()
    where org_id = :org and id = :id and finished_at is not null and erase_asked_at is null
   returning id`,
)

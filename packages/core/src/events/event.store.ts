import type { EventType } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { EventRow } from './event.ts'

/** An event for webhooks and the event stream. All ids are UUIDs. */
export type NewEvent = {
  id: string
  type: EventType
  subjectId: string
  /** Null: the subject holds all data. */
  data: Readonly<Record<string, unknown>> | null
  /** A test: only this endpoint gets it. */
  webhookId?: string | undefined
}

/** Runs in the transaction of the cause, so that neither exists without the other. */
export const recordEvent = async (tx: Tx, org: string, event: NewEvent): Promise<void> => {
  const { id, type, subjectId, data, webhookId } = event
  const stored = data && JSON.stringify(data)
  await tx.query(add({ id, org, eventType: type, subjectId, data: stored, webhookId: webhookId ?? null }))
}

/** Erases the metadata in events that hold their subject. Bodies that were sent hold a copy. */
export const eraseEventMetadata = async (tx: Tx, org: string, subjectId: string): Promise<void> => {
  await tx.query(eraseMetadata({ org, subjectId }))
}

export const findEvent = async (db: Database, org: string, id: string): Promise<EventRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** The events that exist, in the order of `ids`. */
export const readEvents = async (db: Database, org: string, ids: readonly string[]): Promise<EventRow[]> => {
  if (ids.length === 0) return []
  const rows = await db.once(org, findMany({ org, ids, ...idBounds(ids) }))
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id)).filter((row) => row !== undefined)
}

export const eventColumns = 'id, type, subject_id, created_at, data, webhook_id'

const add = statement<{
  id: Uuid
  org: Uuid
  eventType: string
  subjectId: Uuid
  data: Json | null
  webhookId: Uuid | null
}>(
  'events.add',
  sql`insert into events (id, org_id, type, subject_id, data, webhook_id) values (:id, :org, :eventType, :subjectId, :data, :webhookId)`,
)

const eraseMetadata = statement<{ org: Uuid; subjectId: Uuid }>(
  'events.erase_metadata',
  sql`update events set data = (data::jsonb || '{"metadata": {}}')::json
    where org_id = :org and subject_id = :subjectId and data -> 'metadata' is not null`,
)

const find = statement<{ org: Uuid; id: Uuid }, EventRow>(
  'events.find',
  sql`select ${eventColumns} from events where org_id = :org and id = :id`,
)

// The range limits the partitions that are opened.
const findMany = statement<{ org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }, EventRow>(
  'events.find_many',
  sql`select ${eventColumns} from events where org_id = :org and id = any (:ids::uuid[]) and id between :firstId and :lastId`,
)

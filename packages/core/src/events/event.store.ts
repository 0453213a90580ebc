import type { EventType } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { EventRow } from './event.ts'

/** What the outside is told of. All ids are UUIDs; `data` is what it is told. */
export type NewEvent = {
  id: string
  type: EventType
  subjectId: string
  data: Readonly<Record<string, unknown>>
  /** A test: only this endpoint is told. */
  webhookId?: string | undefined
}

/** In the transaction of its cause, so that neither is there without the other. */
export const recordEvent = async (tx: Tx, org: string, event: NewEvent): Promise<void> => {
  const { id, type, subjectId, data, webhookId } = event
  await tx.query(add(id, org, type, subjectId, JSON.stringify(data), webhookId ?? null))
}

export const findEvent = async (db: Database, org: string, id: string): Promise<EventRow | null> => {
  const [row] = await db.once<EventRow>(org, find(org, id))
  return row ?? null
}

/** Those that are there, in the order in which they are asked for. */
export const readEvents = async (db: Database, org: string, ids: readonly string[]): Promise<EventRow[]> => {
  if (ids.length === 0) return []
  const sorted = ids.toSorted()
  const rows = await db.once<EventRow>(org, findMany(org, ids, sorted[0], sorted.at(-1)))
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id)).filter((row) => row !== undefined)
}

export const eventColumns = 'id, type, subject_id, created_at, data, webhook_id'

const add = statement(
  'events.add',
  'insert into events (id, org_id, type, subject_id, data, webhook_id) values ($1, $2, $3, $4, $5, $6)',
)

const find = statement('events.find', `select ${eventColumns} from events where org_id = $1 and id = $2`)

// The range opens the partitions that the ids can be in, and no others.
const findMany = statement(
  'events.find_many',
  `select ${eventColumns} from events where org_id = $1 and id = any ($2::uuid[]) and id between $3 and $4`,
)

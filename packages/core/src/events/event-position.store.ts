import type { EventType } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { dayBefore } from '@ars/platform/id-range'
import { eventsBounds } from './bounds.ts'
import { eventColumns } from './event.store.ts'
import type { EventRow } from './event.ts'
import { readInOrder } from './event-order.store.ts'

/**
 * A position in the order of published events. `id` is an event near it: later positions belong to events that are at most
 * a day older, so older partitions need not be opened.
 */
export type EventPosition = { position: number; id: string }

export type PositionedRow = EventRow & { position: number }

export type PositionedPage = {
  rows: PositionedRow[]
  /** The end of the page. It lies after the last row if the events after that row are of other types. */
  last: EventPosition
  /** No published event lies after it. */
  isComplete: boolean
}

/** The events after a position, in order, without tests. At most `maxEvents` events of any type are scanned. */
export const listAfter = async (
  db: Database,
  org: string,
  asked: { after: EventPosition; types: readonly EventType[] | null; maxEvents: number; maxBytes: number },
): Promise<PositionedPage> => {
  const { after, types, maxEvents, maxBytes } = asked
  const found = await readInOrder(
    db,
    org,
    listPositioned({ org, after: after.position, firstId: dayBefore(after.id), types, maxEvents, maxBytes }),
  )
  const [first] = found
  if (!first?.scan_last) return { rows: [], last: after, isComplete: true }
  const rows = found
    .filter(({ id }) => id !== null)
    .map(({ id, type, subject_id, created_at, data, webhook_id, position }) => {
      return { id, type, subject_id, created_at, data, webhook_id, position: Number(position) }
    })
  const lastRow = rows.at(-1)
  const isCut = rows.length < first.fitting
  const last =
    isCut && lastRow
      ? { position: lastRow.position, id: lastRow.id }
      : { position: Number(first.scan_last), id: first.scan_last_id }
  return { rows, last, isComplete: !isCut && first.scanned < maxEvents }
}

type Found = Omit<PositionedRow, 'position'> & {
  position: string
  scanned: number
  scan_last: string | null
  scan_last_id: string
  fitting: number
}

/** The position of an event, which is null until it is assigned. Null: there is no such event. */
export const findPosition = async (
  db: Database,
  org: string,
  id: string,
): Promise<{ position: number | null; id: string } | null> => {
  const [row] = await db.once(org, position({ org, id }))
  return row ? { id, position: row.position === null ? null : Number(row.position) } : null
}

/** The last position that an event of the organisation has. Null: none has a position yet. */
export const findLastPosition = async (db: Database, org: string): Promise<EventPosition | null> =>
  toPosition(await readInOrder(db, org, lastPosition({ org })))

/**
 * A position before all events that were created since `since`. Ids and positions have nearly the same order, so it is the
 * lowest position of the first ids, from a minute before `since` on.
 */
export const findPositionSince = async (db: Database, org: string, since: Date): Promise<EventPosition | null> =>
  toPosition(await readInOrder(db, org, positionSince({ org, since })))

// crosses organisations: the last positions of the organisations whose streams this process serves.
export const listLastPositions = async (db: Database, orgs: readonly string[]): Promise<Map<string, number>> => {
  const rows = await readInOrder(db, null, lastPositions({ orgIds: orgs }))
  return new Map(rows.map(({ org_id, position }) => [org_id, Number(position)]))
}

type PositionRow = { position: string; id: string }

const toPosition = ([row]: readonly PositionRow[]): EventPosition | null =>
  row ? { position: Number(row.position), id: row.id } : null

type ListPositionedParameters = {
  org: Uuid
  after: number
  /** Only opens few partitions: a transaction takes much less than a day. */
  firstId: Uuid
  types: readonly EventType[] | null
  maxEvents: number
  maxBytes: number
}

const listPositioned = statement<ListPositionedParameters, Found>(
  'events.list_placed',
  sql`with scanned as materialized (
     select ${eventColumns}, position from events
      where org_id = :org and position > :after and id > :firstId
        and id < uuid_floor(app_now() + interval '1 day')
      order by position limit :maxEvents

   -- before is the stored size of the events before this one, which is known without reading the values.
   ), fitting as (
     select ${eventColumns}, position,
            coalesce(sum(pg_column_size(data)) over (order by position rows between unbounded preceding and 1 preceding), 0) as before
       from scanned where webhook_id is null and (:types::text[] is null or type = any (:types))
   )
   select t.scanned, t.scan_last, t.scan_last_id, t.fitting, f.id, f.type, f.subject_id, f.created_at, f.data, f.webhook_id, f.position
     from (
       select count(*)::integer as scanned, max(position) as scan_last,
              (select id from scanned order by position desc limit 1) as scan_last_id,
              (select count(*) from fitting)::integer as fitting
         from scanned
     ) t
     left join fitting f on f.before < :maxBytes
    order by f.position`,
)

const position = statement<{ org: Uuid; id: Uuid }, { position: string | null }>(
  'events.place',
  sql`select position from events where org_id = :org and id = :id`,
)

const lastPosition = statement<{ org: Uuid }, PositionRow>(
  'events.last_place',
  sql`select position, id from events where org_id = :org and position is not null order by position desc limit 1`,
)

const positionSince = statement<{ org: Uuid; since: Date }, PositionRow>(
  'events.place_since',
  sql`select position - 1 as position, id
     from (
       select position, id from events
        where org_id = :org and id > uuid_floor(:since::timestamptz - interval '1 minute')
          and id < uuid_floor(app_now() + interval '1 day') and position is not null
        order by id limit ${eventsBounds.eventsCompared.count}
     ) first
    order by position limit 1`,
)

const lastPositions = statement<{ orgIds: readonly Uuid[] }, { org_id: string; position: string }>(
  'events.last_positions',
  sql`select asked.org_id, last.position
     from unnest(:orgIds::uuid[]) as asked (org_id)
     cross join lateral (
       select position from events
        where org_id = asked.org_id and position is not null and id > uuid_floor(app_now() - interval '7 days')
          and id < uuid_floor(app_now() + interval '1 day')
        order by position desc limit 1
     ) last`,
)

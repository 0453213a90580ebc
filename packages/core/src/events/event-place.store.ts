import type { EventType } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { dayBefore } from '../id-range.ts'
import { eventColumns } from './event.store.ts'
import type { EventRow } from './event.ts'
import { readInOrder } from './event-order.store.ts'

/**
 * A place in the order in which events are told. `id` is that of an event near it: what follows in this order is at most a
 * day older than it, so whole partitions need not be looked into.
 */
export type Place = { position: number; id: string }

export type PlacedRow = EventRow & { position: number }

export type PlacedPage = {
  rows: PlacedRow[]
  /** Where the page ends; beyond its rows, when what follows them is of other types. */
  last: Place
  /** Nothing that was told lies beyond it. */
  isComplete: boolean
}

/** What follows a place, in order, without tests. So many are looked at, of the types that are asked for or of all. */
export const listAfter = async (
  db: Database,
  org: string,
  asked: { after: Place; types: readonly EventType[] | null; most: number; bytesMost: number },
): Promise<PlacedPage> => {
  const { after, types, most, bytesMost } = asked
  const found = await readInOrder<Found>(
    db,
    org,
    listPlaced(org, after.position, dayBefore(after.id), types, most, bytesMost),
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
  return { rows, last, isComplete: !isCut && first.scanned < most }
}

type Found = Omit<PlacedRow, 'position'> & {
  position: string
  scanned: number
  scan_last: string | null
  scan_last_id: string
  fitting: number
}

/** Where an event stands. `position` is null while the relay has not told it yet; null: there is no such event. */
export const findPlace = async (
  db: Database,
  org: string,
  id: string,
): Promise<{ position: number | null; id: string } | null> => {
  const [row] = await db.once<{ position: string | null }>(org, place(org, id))
  return row ? { id, position: row.position === null ? null : Number(row.position) } : null
}

/** The last place that was given to an event of the organisation. Null: to none yet. */
export const findLastPlace = async (db: Database, org: string): Promise<Place | null> =>
  toPlace(await readInOrder<PlaceRow>(db, org, lastPlace(org)))

/**
 * A place before which no event stands that came to be since the moment. Ids and places have nearly the same order, so it
 * is the first place of those with the first ids, from a minute before the moment on.
 */
export const findPlaceSince = async (db: Database, org: string, since: Date): Promise<Place | null> =>
  toPlace(await readInOrder<PlaceRow>(db, org, placeSince(org, since)))

// crosses organisations: how far the events have come of those whose streams this process serves.
export const listLastPositions = async (db: Database, orgs: readonly string[]): Promise<Map<string, number>> => {
  const rows = await readInOrder<{ org_id: string; position: string }>(db, null, lastPositions(orgs))
  return new Map(rows.map(({ org_id, position }) => [org_id, Number(position)]))
}

type PlaceRow = { position: string; id: string }

const toPlace = ([row]: readonly PlaceRow[]): Place | null =>
  row ? { position: Number(row.position), id: row.id } : null

// `id` is compared only to open few partitions: a transaction takes much less than a day. The size is the stored one, which
// is known without reading the value.
const listPlaced = statement(
  'events.list_placed',
  `with scanned as materialized (
     select ${eventColumns}, position from events
      where org_id = $1 and position > $2 and id > $3
        and id < uuid_floor(app_now() + interval '1 day')
      order by position limit $5
   ), fitting as (
     select ${eventColumns}, position,
            coalesce(sum(pg_column_size(data)) over (order by position rows between unbounded preceding and 1 preceding), 0) as before
       from scanned where webhook_id is null and ($4::text[] is null or type = any ($4))
   )
   select t.scanned, t.scan_last, t.scan_last_id, t.fitting, f.id, f.type, f.subject_id, f.created_at, f.data, f.webhook_id, f.position
     from (
       select count(*)::integer as scanned, max(position) as scan_last,
              (select id from scanned order by position desc limit 1) as scan_last_id,
              (select count(*) from fitting)::integer as fitting
         from scanned
     ) t
     left join fitting f on f.before < $6
    order by f.position`,
)

const place = statement('events.place', 'select position from events where org_id = $1 and id = $2')

const lastPlace = statement(
  'events.last_place',
  'select position, id from events where org_id = $1 and position is not null order by position desc limit 1',
)

const placeSince = statement(
  'events.place_since',
  `select position - 1 as position, id
     from (
       select position, id from events
        where org_id = $1 and id > uuid_floor($2::timestamptz - interval '1 minute')
          and id < uuid_floor(app_now() + interval '1 day') and position is not null
        order by id limit 10000
     ) first
    order by position limit 1`,
)

const lastPositions = statement(
  'events.last_positions',
  `select asked.org_id, told.position
     from unnest($1::uuid[]) as asked (org_id)
     cross join lateral (
       select position from events
        where org_id = asked.org_id and position is not null and id > uuid_floor(app_now() - interval '7 days')
          and id < uuid_floor(app_now() + interval '1 day')
        order by position desc limit 1
     ) told`,
)

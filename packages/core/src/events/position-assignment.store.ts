import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { eventsBounds } from './bounds.ts'

/** The highest position that one batch assigned to events of an organisation. */
export type AssignedPositions = { org_id: string; position: number; events: number }

/** The events of one batch, in the order of their positions. The range of ids names the partitions to open. */
export type EventBatch = { ids: readonly string[]; firstId: string; lastId: string }

/**
 * What another slice does with a batch of events in the transaction that assigns its positions. The function that it answers is
 * called after the commit.
 */
export type EventListener = (tx: Tx, batch: EventBatch) => Promise<(() => void) | undefined>

/** Events that one transaction assigns positions to. */
export const eventsPerBatch = eventsBounds.positionsTogether.count

/**
 * Assigns positions to the events that were committed since the last batch, and hands them to the listeners. Only one process
 * does this at a time: null means that another one holds the lock. The events are read by a later statement than the lock,
 * so its snapshot contains everything that the previous holder committed.
 */
// crosses organisations: events of all organisations are put into one order.
export const assignPositions = async (
  db: Database,
  listeners: readonly EventListener[],
): Promise<AssignedPositions[] | null> => {
  const afterCommit: (() => void)[] = []
  const assigned = await db.transaction(null, async (tx) => {
    const [, [clock], events] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query(lockClock()),
      tx.query(unassigned()),
    ])
    if (!clock) return null
    const ids = events.map(({ id }) => id)
    const [firstId, lastId] = [ids[0], ids.at(-1)]
    if (firstId === undefined || lastId === undefined) return []
    const batch = { ids, firstId, lastId }
    const [rows, acts] = await Promise.all([
      tx.query(assign({ eventIds: ids, firstId, lastId, lastPosition: clock.position })),
      Promise.all(listeners.map((listener) => listener(tx, batch))),
    ])
    afterCommit.push(...acts.filter((act) => act !== undefined))
    return rows.map((row) => ({ ...row, position: Number(row.position) }))
  })
  for (const act of afterCommit) act()
  return assigned
}

// crosses organisations: a look without the lock, so that an idle service takes no lock at all.
export const hasUnassigned = async (db: Database): Promise<boolean> => {
  const [, [row]] = await db.batch(null, [preferIndexes(), isThere()])
  return row?.is_there ?? false
}

// crosses organisations: a metric for the operator.
export const countUnassigned = async (db: Database): Promise<number> => {
  const [, [row]] = await db.batch(null, [preferIndexes(), count()])
  return row?.events ?? 0
}

type AssignedRow = { org_id: string; position: string; events: number }

const lockClock = statement<NoParameters, { position: string }>(
  'events.lock_clock',
  sql`select position from event_clock for update skip locked`,
)

const unassigned = statement<NoParameters, { id: string }>(
  'events.unassigned',
  sql`select id from events where position is null order by id limit ${eventsPerBatch}`,
)

const isThere = statement<NoParameters, { is_there: boolean }>(
  'events.has_unassigned',
  sql`select exists (select from events where position is null) as is_there`,
)

const count = statement<NoParameters, { events: number }>(
  'events.count_unassigned',
  sql`select count(*)::integer as events from events where position is null`,
)

/** `lastPosition`: the last one that was assigned before. */
type AssignParameters = { eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid; lastPosition: string }

const assign = statement<AssignParameters, AssignedRow>(
  'events.assign_positions',
  sql`with assigned as (
     update events e set position = :lastPosition::bigint + u.n
       from unnest(:eventIds::uuid[]) with ordinality as u (id, n)
      where e.id = u.id and e.id >= :firstId and e.id <= :lastId
     returning e.org_id, e.position
   ), clock as (
     update event_clock set position = :lastPosition::bigint + cardinality(:eventIds::uuid[])
   )
   select org_id, max(position) as position, count(*)::integer as events from assigned group by org_id`,
)

import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { usageBounds } from './bounds.ts'
import { addEndedRuns, addNotes, isEnd } from './rollup.sql.ts'

/** Ends, or notes, that one transaction counts. */
export const endsPerBatch = usageBounds.endsTogether.count
export const notesPerBatch = usageBounds.notesTogether.count

type Cursor = { position: string }

/**
 * Counts the next ends. The cursor moves in the same transaction, so each end is counted once. Null: another process
 * holds the cursor. The ends are read by a later statement than the lock, so the position is the newest.
 */
// crosses organisations: positions of events have one order for all organisations.
export const countEnds = (db: Database, limit = endsPerBatch): Promise<number | null> =>
  db.transaction(null, async (tx) => {
    const cursor = await lockCursor(tx)
    if (!cursor) return null
    const [row] = await tx.query(count({ after: cursor.position, limit }))
    return row?.ends ?? 0
  })

// crosses organisations: the notes of all organisations. Counting a note deletes it. Counts nothing while another process counts.
export const countNotes = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, countNoted({ limit: notesPerBatch }))
  return row?.notes ?? 0
}

/** Afterwards no statement visits what is left of the notes that were counted. Does nothing while another process counts ends. */
// crosses organisations: there is one cursor.
export const passCountedNotes = async (db: Database): Promise<void> => {
  await db.once(null, passNotes())
}

/** Who holds the cursor counts alone. */
// crosses organisations: there is one cursor.
export const lockCursor = async (tx: Tx): Promise<Cursor | null> => {
  const [, [cursor]] = await Promise.all([tx.query(preferIndexes()), tx.query(lock())])
  return cursor ?? null
}

/** The earliest end that is not counted yet, else now: everything before it is in the figures. */
// crosses organisations: without an organisation, of all of them.
export const findAsOf = async (db: Database, org: string | null): Promise<Date> => {
  const [row] = await db.once(org, asOf(org))
  if (!row) throw new Error('The database has no time')
  return row.as_of
}

/** For the metrics: the age of `as_of`. */
// crosses organisations: a metric for the operator.
export const readUsageLag = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, asOf(null))
  return row?.age_seconds ?? 0
}

const lock = statement<NoParameters, Cursor>(
  'usage.lock_cursor',
  sql`select position from usage_cursor for update skip locked`,
)

// All days are opened: an id can be of any time if the clock of a process jumps, and such an end is counted too.
const count = statement<{ after: string; limit: number }, { ends: number }>(
  'usage.count_ends',
  sql`with ended as materialized (
    select position, subject_id, org_id from events
     where position > :after::bigint and position is not null and ${isEnd}
     order by position limit :limit
  ), ${addEndedRuns}, moved as (
    update usage_cursor set position = (select max(position) from ended) where exists (select from ended)
  )
  select count(*)::integer as ends from ended`,
)

// A database that was restored on another server may have the numbers of the old one.
const notesFrom = '(select case when notes_from <= ended_transactions() then notes_from else 0 end from usage_cursor)'

const countNoted = statement<{ limit: number }, { notes: number }>(
  'usage.count_notes',
  // Who counts ends adds to the same buckets in another order, so that the two would wait for each other in a circle.
  sql`with alone as materialized (
    select from usage_cursor where exists (select from usage_notes where noted_in >= ${notesFrom}) for update skip locked
  ), noted as (
    delete from usage_notes where exists (select from alone) and id in (
      select id from usage_notes where noted_in >= ${notesFrom} order by noted_in limit :limit for update skip locked)
    returning org_id, at, deliveries_succeeded, deliveries_failed, guardrail_blocks
  ), ${addNotes}
  select count(*)::integer as notes from noted`,
)

// What transactions below the new mark wrote is visible here. A note of a later one has a higher number.
const passNotes = statement<NoParameters>(
  'usage.pass_notes',
  sql`update usage_cursor set notes_from = least(ended_transactions(),
        (select min(noted_in) from usage_notes where noted_in >= ${notesFrom}))
    where is_single in (select is_single from usage_cursor for update skip locked)`,
)

// An end has no position for a moment, and then a position above that of the cursor. Two statements: a condition that a
// parameter can switch off is planned anew at each call.
const asOfWhere = (
  isOfOrg: string,
) => sql`select as_of, greatest(0, extract(epoch from app_now() - as_of))::double precision as age_seconds from (select coalesce(least(
      (select min(created_at) from events where position is null and ${isEnd} and ${isOfOrg}),
      (select min(created_at) from (
         select created_at from events
          where position > (select position from usage_cursor) and position is not null and ${isEnd} and ${isOfOrg}
          order by position limit ${usageBounds.uncountedCompared.count}) uncounted),
      (select min(at) from (
         select at from usage_notes where noted_in >= ${notesFrom} and ${isOfOrg} order by noted_in limit ${usageBounds.uncountedCompared.count}) uncounted)), app_now()) as as_of) counted`

type AsOf = { as_of: Date; age_seconds: number }
const asOfAll = statement<NoParameters, AsOf>('usage.as_of_all', asOfWhere('true'))
const asOfOne = statement<{ org: Uuid }, AsOf>('usage.as_of', asOfWhere('org_id = :org::uuid'))
const asOf = (org: string | null) => (org === null ? asOfAll() : asOfOne({ org }))

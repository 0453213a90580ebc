import { setTimeout as sleep } from 'node:timers/promises'
import { platformBounds } from '@ars/platform/bounds'
import { quoteName, quoteText, type Session } from '@ars/platform/db/session'
import { serverBounds } from '../bounds.ts'

/** A partition of a table: the rows from one day to another. */
export type MovedDay = { table: string; partition: string; from: string; until: string; isPast: boolean }

// crosses organisations: names and bounds of partitions, and no row.
export const listDays = (db: Session, tables: readonly string[]): Promise<MovedDay[]> =>
  db.query<MovedDay>(
    `select d.parent as table, d.name as partition, b.bounds[1] as from, b.bounds[2] as until,
            d.end_day <= (app_now() at time zone 'utc')::date as "isPast"
       from partition_days() d join pg_class c on c.relname = d.name and c.relnamespace = 'public'::regnamespace
      cross join lateral (
        select regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM [(]'(.*)'[)] TO [(]'(.*)'[)]$$) as bounds) b
      where d.parent = any($1) order by d.parent, d.first_day`,
    [tables],
  )

/** The condition for rows of these days. No day: no row. */
// crosses organisations: builds a condition and reads no row.
export const inDays = (column: string, days: readonly MovedDay[]): string =>
  days.length === 0
    ? 'false'
    : `(${days
        .map(
          ({ from, until }) =>
            `${quoteName(column)} >= ${quoteText(from)} and ${quoteName(column)} < ${quoteText(until)}`,
        )
        .join(' or ')})`

const tries = serverBounds.dayLockTries.count
const pauseMs = 50
const lockMs = platformBounds.migrationLockWait.ms

/**
 * Notes every later change of a row of the organisation in these days. It waits for the transactions that wrote before. Answers the
 * days for which it holds: one that is locked for long is left out.
 */
export const watchDays = async (db: Session, org: string, days: readonly MovedDay[]): Promise<MovedDay[]> => {
  await db.change('delete from moved_days where moving_org = $1', [org])
  const watched: MovedDay[] = []
  for (const day of days)
    if (
      await briefly(
        db,
        `create or replace trigger ${triggerOf(org)} after insert or update or delete on ${quoteName(day.partition)}
           for each row execute function note_moved_day(${quoteText(org)})`,
      )
    )
      watched.push(day)
  return watched
}

/** Answers how many partitions were locked for long and still note changes. */
export const unwatchDays = async (db: Session, org: string): Promise<number> => {
  const watched = await db.query<{ partition: string }>(
    'select c.relname as partition from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = $1',
    [triggerOf(org).replaceAll('"', '')],
  )
  let left = 0
  for (const { partition } of watched)
    if (!(await briefly(db, `drop trigger ${triggerOf(org)} on ${quoteName(partition)}`))) left++
  await db.change('delete from moved_days where moving_org = $1', [org])
  return left
}

/** The days in which rows changed since they are watched, as far as the transaction of the session sees. */
export const listChangedDays = async (db: Session, org: string, days: readonly MovedDay[]): Promise<MovedDay[]> => {
  const noted = await db.query<{ partition: string }>(
    'select distinct partition from moved_days where moving_org = $1',
    [org],
  )
  const names = new Set(noted.map(({ partition }) => partition))
  return days.filter(({ partition }) => names.has(partition))
}

const triggerOf = (org: string): string => quoteName(`note_moved_day_${org.replaceAll('-', '')}`)

/** Writers wait for a moment only. False: the partition is locked for long. */
const briefly = async (db: Session, text: string): Promise<boolean> => {
  for (let tried = 0; tried < tries; tried++) {
    try {
      await db.query(`begin; set local lock_timeout = '${lockMs}ms'; ${text}; commit`)
      return true
    } catch (error) {
      await db.query('rollback')
      if (codeOf(error) !== '55P03') throw error
      await sleep(pauseMs)
    }
  }
  return false
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

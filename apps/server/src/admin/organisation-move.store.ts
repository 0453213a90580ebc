import { setTimeout as sleep } from 'node:timers/promises'
import { beginFor, type Session } from '@ars/platform/db/session'
import { serverBounds } from '../bounds.ts'

const commandTimeoutMs = serverBounds.moveStatement.ms
/** Between two looks at something that other processes do within a second. */
const lookEveryMs = 25

/** Positions that the cell may still assign while the organisation is copied. */
const reservedPositions = 1_000_000_000

export type ClosedOrganisation = { state: 'moving' | 'moved'; target: string }

/** Which schema a database has, in lines that both cells must share, and which database it is. */
export type CellFacts = { schema: string[]; identity: string }

// crosses organisations: facts of the installation.
export const readCellFacts = async (db: Session): Promise<CellFacts> => {
  const schema = await db.query<{ line: string }>(
    `select name || ' ' || left(hash, 8) as line from migrations
     union all select name || '() ' || left(hash, 8) from schema_functions order by 1`,
  )
  const [cell] = await db.query<{ identity: string }>(
    `select (select system_identifier from pg_control_system()) || '/' || oid as identity
       from pg_database where datname = current_database()`,
  )
  return { schema: schema.map(({ line }) => line), identity: cell?.identity ?? '' }
}

/** Null: it is open. */
export const findClosed = async (db: Session, org: string): Promise<ClosedOrganisation | null> => {
  const [row] = await db.query<ClosedOrganisation>('select state, target from closed_organisations where id = $1', [
    org,
  ])
  return row ?? null
}

export const closeOrganisation = async (db: Session, org: string, target: string): Promise<void> => {
  await db.change(
    `insert into closed_organisations (id, state, target) values ($1, 'moving', $2) on conflict (id) do nothing`,
    [org, target],
  )
}

export const noteMoved = async (db: Session, org: string): Promise<void> => {
  await db.change(`update closed_organisations set state = 'moved' where id = $1`, [org])
}

export const openOrganisation = (db: Session, org: string): Promise<number> =>
  db.change('delete from closed_organisations where id = $1', [org])

/**
 * Waits for the transactions that looked before the organisation was closed. Each of them holds a lock on the table of closed
 * organisations until its end. Answers false if one lasts longer than this.
 */
// crosses organisations: transactions do not tell which organisation they work for.
export const waitForOthers = async (db: Session, maxMs: number): Promise<boolean> => {
  const before = new Set(await listLookers(db))
  for (const endsAt = performance.now() + maxMs; ; await sleep(lookEveryMs)) {
    const left = (await listLookers(db)).filter((one) => before.has(one))
    if (left.length === 0) return true
    if (performance.now() > endsAt) return false
  }
}

const listLookers = async (db: Session): Promise<string[]> =>
  (
    await db.query<{ transaction: string }>(
      `select distinct virtualtransaction as transaction from pg_locks
        where relation = 'closed_organisations'::regclass and granted and pid <> pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())`,
    )
  ).map(({ transaction }) => transaction)

/** What workers of this cell still have to do for the organisation before its rows are copied. */
export type Unsettled = { events: number; ends: number; deliveries: number }

/** In the snapshot of the session. */
export const countUnsettled = async (db: Session, org: string): Promise<Unsettled> => {
  const [row] = await db.query<Unsettled>(
    `select (select count(*) from events where org_id = $1 and position is null)::integer as events,
            (select count(*) from events
              where org_id = $1 and position > (select position from usage_cursor)
                and webhook_id is null and type in ('run.completed', 'run.failed', 'run.cancelled'))::integer as ends,
            (select count(*) from delivery_heads where org_id = $1 and lease_until > app_now())::integer as deliveries`,
    [org],
  )
  return row ?? { events: 0, ends: 0, deliveries: 0 }
}

// crosses organisations: the clock of the cell.
export const readLastPosition = async (db: Session): Promise<number> => {
  const [clock] = await db.query<{ position: string }>('select position from event_clock')
  return Number(clock?.position ?? 0)
}

/**
 * Moves the clock of events and the cursor of usage beyond all positions of the other cell. Events that arrive with their
 * positions are then neither counted again nor later than new ones. Until the cursor has reached the clock, workers count the
 * ends that have positions, and no event gets one. False: they did not within this time.
 */
// crosses organisations: the clock and the cursor of the cell.
export const reservePositions = async (
  system: Session,
  org: string,
  { last, maxMs }: { last: number; maxMs: number },
): Promise<boolean> => {
  const until = last + reservedPositions
  const [cursor] = await system.query<{ position: string }>('select position from usage_cursor')
  if (Number(cursor?.position ?? 0) >= until) return true
  await beginFor(system, org, { timeoutMs: commandTimeoutMs })
  try {
    await system.query('select position from event_clock for update')
    for (const endsAt = performance.now() + maxMs; ; await sleep(lookEveryMs)) {
      const [found] = await system.query<{ is_left: boolean }>(
        `select exists (select from events where position > (select position from usage_cursor) and position is not null
           and webhook_id is null and type in ('run.completed', 'run.failed', 'run.cancelled')) as is_left`,
      )
      if (!found?.is_left) break
      if (performance.now() > endsAt) return await rollBack(system)
    }
    await system.change(
      'update usage_cursor set position = greatest(position, $1, (select position from event_clock))',
      [until],
    )
    await system.change('update event_clock set position = greatest(position, $1)', [until])
    await system.query('commit')
    return true
  } catch (error) {
    await rollBack(system)
    throw error
  }
}

const rollBack = async (db: Session): Promise<false> => {
  await db.query('rollback').catch(() => undefined)
  return false
}

/** A day of a table that has a partition for it. */
export type PartitionDay = { parent: string; day: string }

/** Days that `make_partition()` makes. Those of the days to come are made by each cell. */
// crosses organisations: names and days of partitions, and no row.
export const listPartitionDays = (db: Session): Promise<PartitionDay[]> =>
  db.query<PartitionDay>(
    `select parent, day::date::text as day from partition_days(), generate_series(first_day, end_day - 1, interval '1 day') as day
      where day between app_now() - interval '60 days' and app_now() order by 2, 1`,
  )

// crosses organisations: as above.
export const makePartition = async (db: Session, { parent, day }: PartitionDay): Promise<void> => {
  await db.query('select make_partition($1, $2::date, 1)', [parent, day])
}

/** People who belong to it and have the proven address of another account there. */
// crosses organisations: people may belong to several.
export const listStrangers = async (
  { from, to }: { from: Session; to: Session },
  org: string,
): Promise<{ id: string; email: string }[]> => {
  const people = await from.query<{ id: string; email: string }>(
    `select id, email from users
      where email_proven_at is not null and id in (select user_id from members where org_id = $1)`,
    [org],
  )
  const known = await to.query<{ id: string; email: string }>(
    'select id, email from users where email_proven_at is not null and email = any($1)',
    [people.map(({ email }) => email)],
  )
  const ids = new Map(known.map(({ id, email }) => [email, id]))
  return people.filter(({ id, email }) => (ids.get(email) ?? id) !== id)
}

/**
 * The engine of this cell does not know the runs: they get a new epoch, and an order for each that was admitted. Numbers of
 * transactions belong to a server.
 */
export const orderRuns = async (db: Session, org: string): Promise<number> => {
  await db.change(
    'update run_heads set epoch = epoch + 1, moved_in = this_transaction(), progress_at = app_now() where org_id = $1',
    [org],
  )
  await db.change('update usage_notes set noted_in = this_transaction() where org_id = $1', [org])
  return db.change(
    `insert into outbox (run_id, epoch, segment, org_id, step, due_at)
     select run_id, epoch, segment, org_id, step + 1, app_now() from run_heads
      where org_id = $1 and is_admitted and status in ('queued', 'running')`,
    [org],
  )
}

export const findWrappedKey = async (db: Session, org: string): Promise<Buffer | null> => {
  const [row] = await db.query<{ wrapped: Buffer }>('select wrapped from org_keys where org_id = $1', [org])
  return row?.wrapped ?? null
}

export const listActiveRuns = async (db: Session, org: string): Promise<string[]> =>
  (await db.query<{ id: string }>('select run_id as id from run_heads where org_id = $1', [org])).map(({ id }) => id)

/** Whether the cell has the organisation. A transaction that brings it, and has not ended, is waited for. */
export const hasArrived = async (db: Session, org: string): Promise<boolean> => {
  await beginFor(db, org, { timeoutMs: commandTimeoutMs })
  try {
    const added = await db.change(
      `insert into organisations (id, name) values ($1, 'arrives') on conflict do nothing`,
      [org],
    )
    return added === 0
  } finally {
    await db.query('rollback')
  }
}

/** Held until the session ends, so that one command at a time moves an organisation. */
export const lockMove = async (db: Session, org: string): Promise<boolean> => {
  await beginFor(db, org, { timeoutMs: lockHeldMs })
  const [row] = await db.query<{ is_mine: boolean }>(
    'select pg_try_advisory_xact_lock(7305245, hashtext($1)) as is_mine',
    [org],
  )
  return row?.is_mine ?? false
}

/** Longer than any move. */
const lockHeldMs = 86_400_000

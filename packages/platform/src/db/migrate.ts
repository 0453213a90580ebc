import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { watchBlockers } from './blockers.ts'
import { buildIndexes, lockTimeoutMs } from './concurrent-index.ts'
import { reasonOf } from './pool-health.ts'

/** Says in a sentence why the schema cannot be migrated now. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

export type MigrateOptions = {
  url: string
  dir: string
  /** The release that migrates. It is recorded, so that a release that does not fit can name it. */
  release?: string
  /** How long one migration may try to get its locks. */
  maxWaitMs?: number
  /** Receives one line for each try that met a lock. */
  say?: (line: string) => void
  /** Executed before the migrations at every call, outside of a transaction. Repeating it changes nothing. */
  beforehand?: string
  /** Executed after the migrations at every call, also when none is pending. Repeating it changes nothing. */
  afterwards?: string
}

// An arbitrary advisory lock id. Concurrent migrations run one after the other, so the second finds nothing to do.
const migrationLock = 7_305_241
const migrationApplication = 'ars-migrate'
const pauseMs = 1_000
const turnPauseMs = 100
const maxWaitDefaultMs = 300_000
/** The first line of a migration that no process of an older release survives. */
export const needsStop = '-- Stop all processes before this migration.'
/** The first line of a migration that holds `create index` statements only. They do not block writers. */
export const isConcurrent = '-- Builds indexes concurrently.'

/** Migrates a database to the newest schema and returns the names of the applied migrations. */
export const migrate = async (options: MigrateOptions): Promise<string[]> => {
  const client = new pg.Client({ connectionString: options.url, application_name: migrationApplication })
  // The running query reports a lost connection.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await takeTurn(client)
    if (!(await hasTable(client))) await patiently(client, 'The list of migrations', () => changeTable(client), options)
    const pending = await readPending(client, options.dir)
    if (pending.some(({ text }) => text.startsWith(needsStop))) await refuseWhileProcessesRun(client)
    const { beforehand, afterwards } = options
    if (beforehand !== undefined)
      await patiently(client, 'The migration', async () => void (await client.query(beforehand)), options)
    for (const migration of pending)
      await patiently(client, migration.name, () => apply(client, migration, options), options)
    if (afterwards !== undefined) {
      const work = () => inTransaction(client, async () => void (await client.query(afterwards)))
      await patiently(client, 'The migration', work, options)
    }
    return pending.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/**
 * Tries for the lock instead of waiting for it: a statement that waits holds a snapshot, and an index that another migration
 * builds concurrently waits for all snapshots.
 */
const takeTurn = async (client: pg.Client): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1) as is_ours', [
      migrationLock,
    ])
    if (rows[0]?.is_ours) return
    await sleep(turnPauseMs)
  }
}

type Migration = { name: string; text: string }

/** Whether the list of migrations is there, with all of its columns. */
const hasTable = async (client: pg.Client): Promise<boolean> => {
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'needs_stop'`,
  )
  return rowCount === 1
}

// Earlier releases made the table without the last two columns, and ignore them.
const changeTable = (client: pg.Client): Promise<void> =>
  inTransaction(client, async () => {
    await client.query(`create table if not exists migrations (
      id serial primary key, name varchar(255) not null, run_on timestamp not null)`)
    await client.query(`alter table migrations
      add column if not exists release text, add column if not exists needs_stop boolean not null default false`)
  })

const readPending = async (client: pg.Client, dir: string): Promise<Migration[]> => {
  const names = await listMigrations(dir)
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id')
  const applied = rows.map(({ name }) => name)
  // The schema may be newer than this release, but never have another order.
  const strange = names.slice(0, applied.length).find((name, at) => name !== applied[at])
  if (strange !== undefined)
    throw new MigrationRefused(
      `Migration ${strange} is not applied, but a later one is: the schema has another history`,
    )
  return Promise.all(
    names.slice(applied.length).map(async (name) => ({ name, text: await readFile(join(dir, `${name}.sql`), 'utf8') })),
  )
}

const refuseWhileProcessesRun = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ connections: string }>(
    `select string_agg(format('%s (%s)', application_name, connections), ', ' order by application_name) as connections
       from (select application_name, count(*) as connections from pg_stat_activity
              where datname = current_database() and application_name like 'ars-%' and application_name <> $1
              group by application_name) connected`,
    [migrationApplication],
  )
  const connections = rows[0]?.connections
  if (connections)
    throw new MigrationRefused(
      `This release changes the schema in a way that running processes cannot use. Stop all of them first. Connected: ${connections}`,
    )
}

const patiently = async (
  client: pg.Client,
  name: string,
  work: () => Promise<void>,
  { url, maxWaitMs = maxWaitDefaultMs, say = () => undefined }: MigrateOptions,
): Promise<void> => {
  const givesUpAtMs = performance.now() + maxWaitMs
  for (;;) {
    const blockers = await watchBlockers(client, url)
    try {
      return await work()
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      // A deadlock is a lock that both sides wait for.
      if (!['lock_timeout', 'conflict'].includes(reasonOf(error))) throw error
      const line = `${name} waits for a lock that is held by ${blockers.names()}`
      if (performance.now() > givesUpAtMs)
        throw new MigrationRefused(`${line}. It gave up after ${Math.round(maxWaitMs / 1000)} s and changed nothing`, {
          cause: error,
        })
      say(`${line}. Trying again.`)
    } finally {
      await blockers.close()
    }
    await sleep(pauseMs)
  }
}

const apply = async (
  client: pg.Client,
  { name, text }: Migration,
  { release = null }: { release?: string | null },
): Promise<void> => {
  if (text.startsWith(isConcurrent)) await buildIndexes(client, text)
  await inTransaction(client, async () => {
    if (!text.startsWith(isConcurrent)) await client.query(text)
    await client.query('insert into migrations (name, run_on, release, needs_stop) values ($1, app_now(), $2, $3)', [
      name,
      release,
      text.startsWith(needsStop),
    ])
  })
}

const inTransaction = async (client: pg.Client, work: () => Promise<void>): Promise<void> => {
  await client.query('begin')
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
  await work()
  await client.query('commit')
}

/** The migrations of this release. Read once at start: files of the next release may appear beside a running process. */
export const listMigrations = async (dir: string): Promise<string[]> =>
  (await readdir(dir))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted()

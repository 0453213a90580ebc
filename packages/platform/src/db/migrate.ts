import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { platformBounds } from '../bounds.ts'
import { watchBlockers } from './blockers.ts'
import { buildIndexes } from './concurrent-index.ts'
import { reasonOf } from './pool-health.ts'
import { readSchemaFiles, type SchemaFile } from './schema-files.ts'
import { type AppliedFunction, outdatedFunctions } from './schema-fit.ts'
import { type ShortTransaction, shortTransaction } from './short-transaction.ts'

/** Says in a sentence why the schema cannot be migrated now. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

export type MigrateOptions = {
  url: string
  /** The folder `db` of the release. */
  dir: string
  /** The release that migrates. It is recorded, so that a release that does not fit can name it. */
  release?: string
  /** How long one migration may try to get its locks. */
  maxWaitMs?: number
  /** Receives a line for each try that met a lock, and one for each transaction that held a lock on an older table. */
  say?: (line: string) => void
}

// An arbitrary advisory lock id. Concurrent migrations run one after the other, so the second finds nothing to do.
const migrationLock = 7_305_241
const migrationApplication = 'ars-migrate'
/** The name of the first migration: `db/baseline.sql`. */
const baseline = 'baseline'
const pauseMs = 1_000
const turnPauseMs = 100
const maxWaitDefaultMs = platformBounds.migrationLock.ms
/** The first line of a migration that no process of an older release survives. */
export const needsStop = '-- Stop all processes before this migration.'
/** The first line of a migration that holds `create index` statements only. They do not block writers. */
export const isConcurrent = '-- Builds indexes concurrently.'

/** The first line of a function that has the type of a table in its signature: an empty database gets it after the baseline. */
const needsTables = '-- After the tables.'

/** Migrates a database to the newest schema. Returns the names of the applied migrations, and of functions with `()`. */
export const migrate = async (options: MigrateOptions): Promise<string[]> => {
  const client = new pg.Client({ connectionString: options.url, application_name: migrationApplication })
  // The running query reports a lost connection.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await takeTurn(client)
    const files = await readSchemaFiles(options.dir)
    const applied = await readApplied(client)
    const pending = pendingOf(files.migrations, applied)
    if (pending.some(({ text }) => text.startsWith(needsStop))) await refuseWhileProcessesRun(client)
    const work = { ...options, functions: files.functions }
    for (const migration of pending)
      await withLockRetries(
        client,
        migration.name,
        (transact) => apply(client, migration, { ...work, transact }),
        options,
      )
    const outdated = outdatedFunctions(await readFunctions(client), {
      version: options.release ?? null,
      functions: files.functions,
    })
    if (outdated.length > 0)
      await withLockRetries(
        client,
        'The functions',
        (transact) => applyFunctions(client, outdated, { ...options, transact }),
        options,
      )
    return [...pending, ...outdated.map(({ name }) => ({ name: `${name}()` }))].map(({ name }) => name)
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

type Applied = { name: string; hash: string }

/** An empty database has no list of migrations: the baseline makes it. */
const readApplied = async (client: pg.Client): Promise<Applied[]> => {
  const { rows } = await client.query<{ made: boolean }>(`select to_regclass('migrations') is not null as made`)
  if (!rows[0]?.made) return []
  return (await client.query<Applied>('select name, hash from migrations order by id')).rows
}

/** The schema may be newer than this release, but never have another history. */
const pendingOf = (migrations: readonly SchemaFile[], applied: readonly Applied[]): readonly SchemaFile[] => {
  for (const [at, { name, hash }] of migrations.slice(0, applied.length).entries()) {
    if (applied[at]?.name !== name)
      throw new MigrationRefused(`Migration ${name} is not applied, but a later one is: the schema has another history`)
    if (applied[at].hash !== hash)
      throw new MigrationRefused(`${name} was applied with another text: the schema has another history`)
  }
  return migrations.slice(applied.length)
}

const readFunctions = async (client: pg.Client): Promise<AppliedFunction[]> =>
  (await client.query<AppliedFunction>('select name, hash, release from schema_functions')).rows

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

const withLockRetries = async (
  client: pg.Client,
  name: string,
  work: (transact: ShortTransaction) => Promise<void>,
  { url, maxWaitMs = maxWaitDefaultMs, say = () => undefined }: MigrateOptions,
): Promise<void> => {
  const givesUpAtMs = performance.now() + maxWaitMs
  for (;;) {
    const blockers = await watchBlockers(client, url)
    try {
      return await work(shortTransaction(client, { name, blockers, say }))
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

type Applying = Pick<MigrateOptions, 'release'> & { transact: ShortTransaction }

const apply = async (
  client: pg.Client,
  { name, text, hash }: SchemaFile,
  { release, functions, transact }: Applying & { functions: readonly SchemaFile[] },
): Promise<void> => {
  if (text.startsWith(isConcurrent)) await buildIndexes(client, text, transact)
  await transact(async () => {
    if (name === baseline) await applyBefore(client, functions)
    if (!text.startsWith(isConcurrent)) await client.query(text)
    await client.query('insert into migrations (name, hash, release, needs_stop) values ($1, $2, $3, $4)', [
      name,
      hash,
      release ?? null,
      text.startsWith(needsStop),
    ])
  })
}

/** Columns and triggers of the baseline name functions, whose bodies name tables. Bodies are checked when they are applied again. */
const applyBefore = async (client: pg.Client, functions: readonly SchemaFile[]): Promise<void> => {
  await client.query('set local check_function_bodies = off')
  for (const { text } of functions) if (!text.startsWith(needsTables)) await client.query(text)
}

const applyFunctions = (
  client: pg.Client,
  functions: readonly SchemaFile[],
  { release, transact }: Applying,
): Promise<void> =>
  transact(async () => {
    for (const { name, text, hash } of functions) {
      await client.query(text)
      await client.query(
        `insert into schema_functions (name, hash, release) values ($1, $2, $3)
         on conflict (name) do update set hash = excluded.hash, release = excluded.release, applied_at = app_now()`,
        [name, hash, release ?? null],
      )
    }
  })

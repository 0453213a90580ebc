import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openMigrated } from './migrate.fixture.ts'
import { MigrationRefused, migrate } from './migrate.ts'

/** A session that holds the table until its transaction ends. */
const holdTable = async (url: string, table: string, mode = 'access share'): Promise<pg.Client> => {
  const holder = new pg.Client({ connectionString: url, application_name: 'nightly-export' })
  holder.on('error', () => undefined)
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin')
  await holder.query(`lock table ${table} in ${mode} mode`)
  return holder
}

const partitionsOfRuns = async (database: TestDatabase): Promise<string[]> => {
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'runs'::regclass order by 1`,
    ),
  )
  return rows.map(({ name }) => name)
}

/** Whether a migration waits for this session. Asked elsewhere: a transaction sees the activity of its first look only. */
const waitsFor = async (database: TestDatabase, holder: pg.Client): Promise<boolean> => {
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query<{ waits: boolean }>(
      `select coalesce(bool_or($1 = any (pg_blocking_pids(pid))), false) as waits
         from pg_stat_activity where application_name = 'ars-migrate'`,
      [pidOf(holder)],
    ),
  )
  return rows[0]?.waits === true
}

const pidOf = (client: pg.Client): unknown => ('processID' in client ? client.processID : undefined)

test('a migration that meets a lock gives way to others, names the holder, and is applied when the lock is free', async () => {
  const { add, database, dir } = await openMigrated()
  add('alter table run_heads add column next_release integer;')
  const holder = await holdTable(database.appUrl, 'run_heads')
  const lines: string[] = []
  const applied = migrate({
    url: database.ownerUrl,
    dir,
    say: (line) => {
      lines.push(line)
      if (lines.length > 1) return
      // A writer that comes after the first try is not held up by it.
      void asClient(database.ownerUrl, (client) =>
        client.query(`set statement_timeout = '30s'; select from run_heads`),
      ).then(() => holder.query('commit'))
    },
  })
  expect(await applied).toEqual(['9999_next'])
  expect(lines[0]).toMatch(
    /^9999_next waits for a lock that is held by process \d+ \(role ars_app, application nightly-export\)\. Trying again\.$/,
  )
  // It says how long it held which lock afterwards, without the time of its waits.
  expect(lines.at(-1)).toMatch(/^9999_next held AccessExclusiveLock on run_heads for \d+ ms$/)
})

test('it gives up after its time, and changes nothing (platformBounds.migrationLock)', async () => {
  const { add, database, dir } = await openMigrated()
  add('create table next_release (); alter table run_heads add column next_release integer;')
  await holdTable(database.appUrl, 'run_heads')
  const refused = await migrate({ url: database.ownerUrl, dir, maxWaitMs: 0 }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(MigrationRefused)
  expect(String(refused)).toContain('application nightly-export). It gave up after 0 s and changed nothing')
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query(`select to_regclass('next_release') as made`),
  )
  expect(rows).toEqual([{ made: null }])
})

test('indexes are built beside a writer, one partition after the other', async () => {
  const { add, database, dir } = await openMigrated()
  add(
    '-- Builds indexes concurrently.\ncreate index runs_next on runs (org_id, created_by);\ncreate index heads_next on run_heads (org_id);',
  )
  const [first] = await partitionsOfRuns(database)
  const writer = await holdTable(database.ownerUrl, first ?? '', 'row exclusive')
  const applied = migrate({ url: database.ownerUrl, dir })
  await expect.poll(() => waitsFor(database, writer), { timeout: 30_000 }).toBe(true)
  // The build waits for the first writer, and a second one does not wait for the build.
  const second = await holdTable(database.ownerUrl, first ?? '', 'row exclusive')
  await second.query('commit')
  expect(await waitsFor(database, writer)).toBe(true)
  await writer.query('commit')
  expect(await applied).toEqual(['9999_next'])
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query<{ valid: boolean; partitions: number; indexed: number }>(
      `select bool_and(i.indisvalid) as valid,
              (select count(*)::int from pg_inherits where inhparent = 'runs'::regclass) as partitions,
              (select count(*)::int from pg_inherits where inhparent = 'runs_next'::regclass) as indexed
         from pg_index i where i.indexrelid in ('runs_next'::regclass, 'heads_next'::regclass)`,
    ),
  )
  expect(rows[0]?.valid).toBe(true)
  expect(rows[0]?.indexed).toBe(rows[0]?.partitions)
  expect(rows[0]?.partitions).toBeGreaterThan(2)
})

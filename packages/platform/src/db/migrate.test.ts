import { asClient } from '@ars/testkit/client'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openMigrated } from './migrate.fixture.ts'
import { migrate } from './migrate.ts'
import { readHeldMs } from './short-transaction.ts'

test('a migration that needs a stop is refused while a process is connected', async () => {
  const { add, database, dir } = await openMigrated()
  add('-- Stop all processes before this migration.\nalter table run_heads add column next_release integer;')
  const worker = new pg.Client({ connectionString: database.appUrl, application_name: 'ars-steps' })
  await worker.connect()
  await expect(migrate({ url: database.ownerUrl, dir })).rejects.toThrow(
    'Stop all of them first. Connected: ars-steps (1)',
  )
  await worker.end()
  // Postgres forgets the session a moment after the connection has closed.
  await expect
    .poll(() => migrate({ url: database.ownerUrl, dir }).catch(String), { timeout: 20_000 })
    .toEqual(['9999_next'])
})

test('the release that applied a migration is recorded, and whether it needed a stop', async () => {
  const { add, database, dir } = await openMigrated()
  add('-- Stop all processes before this migration.\nalter table run_heads add column next_release integer;')
  add('alter table run_heads add column earlier_release integer;', '9998_before')
  await migrate({ url: database.ownerUrl, dir, release: '9.0.0' })
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query('select name, release, needs_stop from migrations order by id desc limit 2'),
  )
  expect(rows).toEqual([
    { name: '9999_next', release: '9.0.0', needs_stop: true },
    { name: '9998_before', release: '9.0.0', needs_stop: false },
  ])
})

test('an interrupted build is repeated', async () => {
  const { add, database, dir } = await openMigrated()
  add('-- Builds indexes concurrently.\ncreate index heads_next on run_heads (org_id);')
  await asClient(database.superuserUrl, async (client) => {
    await client.query('create index heads_next on run_heads (org_id)')
    await client.query(`update pg_index set indisvalid = false where indexrelid = 'heads_next'::regclass`)
  })
  await migrate({ url: database.ownerUrl, dir })
  const { rows } = await asClient(database.ownerUrl, (client) =>
    client.query(`select indisvalid as valid from pg_index where indexrelid = 'heads_next'::regclass`),
  )
  expect(rows).toEqual([{ valid: true }])
})

test('a schema with another history is refused', async () => {
  const { add, database, dir } = await openMigrated()
  await asClient(database.ownerUrl, (client) =>
    client.query(`insert into migrations (name, hash) values ('0000_other', '')`),
  )
  add('select 1;')
  await expect(migrate({ url: database.ownerUrl, dir })).rejects.toThrow(
    'Migration 9999_next is not applied, but a later',
  )
})

test('a migration whose text has changed since it was applied is refused', async () => {
  const { add, database, dir } = await openMigrated()
  add('select 1;')
  await migrate({ url: database.ownerUrl, dir })
  add('select 2;')
  await expect(migrate({ url: database.ownerUrl, dir })).rejects.toThrow('9999_next was applied with another text')
})

const one = (answer: number): string =>
  `create or replace function planted() returns integer language sql return ${answer};\n`

test('a function is applied when its text changes, and only then', async () => {
  const { database, dir, write } = await openMigrated()
  const migrated = (release: string) => migrate({ url: database.ownerUrl, dir, release })
  const planted = async () =>
    (await asClient(database.appUrl, (client) => client.query<{ planted: number }>('select planted()'))).rows[0]
      ?.planted
  expect(await migrated('9.0.0')).toEqual([])
  write('planted', one(1))
  expect(await migrated('9.0.0')).toEqual(['planted()'])
  expect(await planted()).toBe(1)
  write('planted', one(2))
  expect(await migrated('9.10.0')).toEqual(['planted()'])
  expect(await migrated('9.10.0')).toEqual([])
  expect(await planted()).toBe(2)
  // An older release does not bring its text back.
  write('planted', one(1))
  expect(await migrated('9.9.0')).toEqual([])
  expect(await planted()).toBe(2)
})

test('functions are applied after the migrations, all or none', async () => {
  const { add, database, dir, write } = await openMigrated()
  add('create table next_release (answer integer);')
  write(
    'planted',
    'create or replace function planted() returns bigint language sql begin atomic select count(*) from next_release; end;',
  )
  write(
    'refused',
    'create or replace function refused() returns integer language sql as $$ select answer from nowhere $$;',
  )
  await expect(migrate({ url: database.ownerUrl, dir })).rejects.toThrow('relation "nowhere" does not exist')
  const find = () =>
    asClient(database.ownerUrl, (client) => client.query(`select to_regproc('planted') is null as missing`))
  expect((await find()).rows).toEqual([{ missing: true }])
  write('refused', one(1).replace('planted', 'refused'))
  expect(await migrate({ url: database.ownerUrl, dir })).toEqual(['planted()', 'refused()'])
})

test('a migration says which locks of older tables it held and for how long, and nothing about its new tables', async () => {
  const { add, database, dir } = await openMigrated()
  const lines: string[] = []
  add('create table next_release (); create index next_empty on next_release ((1));', '9997_new')
  add('alter table runs add column next_release integer;', '9998_old')
  add('-- Builds indexes concurrently.\ncreate index runs_next on runs (org_id, created_by);')
  await migrate({ url: database.ownerUrl, dir, say: (line) => lines.push(line) })
  expect(lines[0]).toMatch(/^9998_old held AccessExclusiveLock on runs for \d+ ms$/)
  expect(lines.slice(1).every((line) => line.startsWith('9999_next held ') && line.includes(' on runs for '))).toBe(
    true,
  )
  expect(lines.map(readHeldMs).every((ms) => ms !== null && ms >= 0)).toBe(true)
  expect(readHeldMs('9999_next waits for a lock that is held by process 1')).toBeNull()
})

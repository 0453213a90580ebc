import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asClient } from '@ars/testkit/client'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openMigrated } from './migrate.fixture.ts'
import { MigrationRefused, migrate } from './migrate.ts'

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
  writeFileSync(join(dir, '9998_before.sql'), 'alter table run_heads add column earlier_release integer;')
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
  const { database, dir } = await openMigrated()
  await asClient(database.ownerUrl, (client) => client.query(`update migrations set name = '0002_other' where id = 2`))
  await expect(migrate({ url: database.ownerUrl, dir })).rejects.toThrow(MigrationRefused)
})

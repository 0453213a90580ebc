import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailableReasons } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { examine } from '../src/doctor/doctor.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { judgeDisk } from '../src/doctor/server.ts'
import { type App, startApp } from './app.ts'
import { brokenInstallations, failed } from './doctor/broken-installations.ts'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const rows = brokenInstallations((name, text) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
})
// It judges all organisations of a database, and other files change theirs.
let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

test('doctor finds no fault in a healthy installation', async () => {
  const findings = await examine(app.env)
  expect(failed(findings)).toEqual([])
  expect(findings.filter(({ isSkipped }) => isSkipped)).toEqual([])
})

const minutesAgo = (minutes: number): string =>
  `app_now() - interval '1 minute' * ${minutes.toLocaleString('en', { useGrouping: false })}`

/** What `ars-server backup` notes. `history`: 0 is this one. */
const noteBackups = ({ base, archive, history = 0 }: { base: number; archive: number; history?: number }) =>
  asClient(app.database.superuserUrl, async (client) => {
    await client.query('delete from backup_state')
    await client.query(`insert into backup_state (timeline, base_ended_at, archived_until)
      values (1 + ${history}, ${minutesAgo(base)}, ${minutesAgo(archive)})`)
  })

const backupsIn = (findings: readonly Finding[]) => findings.filter(({ what }) => what.includes('back-up'))

test('doctor tells the age of the base back-up and of the archive, and when they are old or missing', async () => {
  onTestFinished(() =>
    asClient(app.database.superuserUrl, async (client) => void (await client.query('delete from backup_state'))),
  )
  const withBackups = { ...app.env, ARS_BACKUPS: 'service' }
  expect(backupsIn(await examine(withBackups))).toEqual([
    { what: 'base back-up', found: 'none of this database', advice: expect.stringContaining('ArsBackupOld.md') },
    { what: 'back-up archive', found: 'none of this database', advice: expect.stringContaining('ArsArchiveOld.md') },
  ])
  await noteBackups({ base: 300, archive: 3 })
  expect(backupsIn(await examine(withBackups))).toEqual([
    { what: 'base back-up', found: 'ended 5 hours ago' },
    { what: 'back-up archive', found: 'complete until 3 minutes ago' },
  ])
  const { baseAge, archiveAge } = serverBounds
  await noteBackups({ base: baseAge.ms / 60_000 + 30, archive: archiveAge.ms / 60_000 + 1 })
  // Also where nothing is expected: it was made once, and has stopped.
  for (const env of [withBackups, app.env])
    expect(backupsIn(await examine(env))).toEqual([
      { what: 'base back-up', found: 'ended 49 hours ago', advice: expect.any(String) },
      { what: 'back-up archive', found: 'complete until 11 minutes ago', advice: expect.any(String) },
    ])
  await noteBackups({ base: 1, archive: 1, history: 1 })
  expect(backupsIn(await examine(withBackups)).map(({ found }) => found)).toEqual(
    Array(2).fill('none of this database'),
  )
})

test('doctor waits for connections that open more slowly than a request may wait', async () => {
  expect(failed(await examine({ ...app.env, ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '1' }))).toEqual([])
})

// The others take seconds: `doctor.slow.test.ts`.
const soon = rows.filter(({ isRetried }) => !isRetried)

test.for(soon)('doctor says what is wrong and what to do when $broken', async ({ env, what, found, advice }) => {
  const findings = await examine({ ...app.env, ...env() })
  expect(failed(findings)).toContainEqual({
    what,
    found: expect.stringMatching(found),
    advice: expect.stringMatching(advice),
  })
})

const onDatabase = (urls: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(
    ['URL', 'AUTH_URL', 'FEED_URL', 'SYSTEM_URL'].map((setting) => {
      const url = new URL(urls[`ARS_DATABASE_${setting}`] ?? '')
      url.pathname = `/${name}`
      return [`ARS_DATABASE_${setting}`, url.href]
    }),
  )

test('doctor says once that a database is not migrated', async () => {
  const name = `ars_test_${randomBytes(6).toString('hex')}`
  const asSuperuser = (statement: string) =>
    asClient(app.database.superuserUrl, async (client) => void (await client.query(statement)))
  await asSuperuser(`create database ${name} owner ars_owner`)
  onTestFinished(() => asSuperuser(`drop database ${name} with (force)`))
  const findings = await examine({ ...app.env, ...onDatabase(app.env, name) })
  expect(failed(findings)).toEqual([
    { what: 'migrations', found: 'the database is empty', advice: 'Run `ars-server migrate` as the owner.' },
  ])
})

test('doctor names every login that leads to a read-only server', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await asClient(database.superuserUrl, async (client) => {
    await client.query(`alter database ${database.name} set default_transaction_read_only = on`)
  })
  const findings = await examine({ ...app.env, ...onDatabase(app.env, database.name) })
  const [writes, ...roles] = failed(findings)
  expect(writes).toEqual({
    what: 'writes',
    found: unavailableReasons.database_read_only,
    advice: expect.stringContaining('Point ARS_DATABASE_URL at the primary'),
  })
  expect(roles.map(({ found }) => found)).toEqual(
    ['URL', 'AUTH_URL', 'FEED_URL', 'SYSTEM_URL'].map(
      (setting) => `ARS_DATABASE_${setting} leads to a read-only server, so every write fails`,
    ),
  )
})

test('doctor warns before the disk of the database is full', () => {
  const gib = 1024 ** 3
  expect(judgeDisk(gib, { freeBytes: 30 * gib, allBytes: 100 * gib })).toEqual({
    what: 'disk',
    found: 'the database has 1.0 GiB, 30.0 GiB are free',
  })
  expect(judgeDisk(gib, { freeBytes: 30 * gib, allBytes: 100 * gib }, gib / 2).found).toBe(
    'the database has 1.0 GiB, 30.0 GiB are free, enough for 60 days like yesterday',
  )
  expect(judgeDisk(gib, { freeBytes: 9 * gib, allBytes: 100 * gib }).advice).toContain('A full disk stops Postgres')
  expect(judgeDisk(gib, { freeBytes: gib, allBytes: 4 * gib }).advice).toContain('Enlarge the disk')
  expect(judgeDisk(gib, null).advice).toBe(undefined)
})

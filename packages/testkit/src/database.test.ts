import { afterAll, beforeAll, expect, test } from 'vitest'
import { asClient } from './client.ts'
import { fakeClock, moveDatabaseClock } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testEngine, testRedisUrl } from './stack.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const ask = async (url: string, question: string): Promise<unknown> =>
  asClient(url, async (client) => (await client.query({ text: question, rowMode: 'array' })).rows[0]?.[0])

test('a test database is migrated, and each role can log in', async () => {
  expect(await ask(database.ownerUrl, "select to_regclass('runs') is not null")).toBe(true)
  const { ownerUrl, appUrl, authUrl, systemUrl } = database
  const users = await Promise.all([ownerUrl, appUrl, authUrl, systemUrl].map((url) => ask(url, 'select current_user')))
  expect(users).toEqual(['ars_owner', 'ars_app', 'ars_auth', 'ars_system'])
})

test('no role bypasses row-level security, or can create roles or databases', async () => {
  const privileged = `select array_agg(rolname::text) from pg_roles
    where rolname like 'ars_%' and (rolsuper or rolcreatedb or rolcreaterole or rolreplication)`
  expect(await ask(database.superuserUrl, privileged)).toBeNull()
  // A transaction of ars_app changes to it.
  const withoutLogin =
    "select array_agg(rolname::text order by rolname) from pg_roles where rolname like 'ars_%' and not rolcanlogin"
  expect(await ask(database.superuserUrl, withoutLogin)).toEqual(['ars_backup', 'ars_batch'])
  const bypassing = "select array_agg(rolname::text) from pg_roles where rolname like 'ars_%' and rolbypassrls"
  expect(await ask(database.superuserUrl, bypassing)).toEqual(null)
})

test('two test databases do not see each other', async () => {
  const other = await createTestDatabase()
  await asClient(other.ownerUrl, (client) => client.query('create table only_here ()'))
  expect(await ask(database.ownerUrl, "select to_regclass('only_here')")).toBeNull()
  await other.drop()
  await expect(ask(other.ownerUrl, 'select 1')).rejects.toThrow('does not exist')
})

test('the clock of a test database moves with each call, for every role', async () => {
  const moved = await createTestDatabase()
  const ahead = 'select round(extract(epoch from app_now() - statement_timestamp()))::int'
  expect(await moveDatabaseClock(moved.ownerUrl, 3_600_000)).toBe(3_600_000)
  expect(await moveDatabaseClock(moved.ownerUrl, -600_000)).toBe(3_000_000)
  expect(await ask(moved.appUrl, ahead)).toBe(3000)
  expect(await ask(moved.systemUrl, ahead)).toBe(3000)
  expect(await ask(database.appUrl, ahead)).toBe(0)
  await moved.drop()
})

test('a change of the date does not affect the durations of a fake clock', () => {
  const clock = fakeClock(new Date('2030-01-01T00:00:00Z'))
  clock.advance(1500)
  clock.setDate(new Date('2029-12-31T00:00:00Z'))
  expect(clock.monotonicMs()).toBe(1500)
  expect(clock.now().toISOString()).toBe('2029-12-31T00:00:00.000Z')
})

test('the run gives every worker an engine and a Redis', async () => {
  expect((await fetch(`${testEngine().ingressUrl}/restate/health`)).status).toBe(200)
  expect(testRedisUrl()).toMatch(/^redis:\/\/127\.0\.0\.1:\d+\/[01]$/)
})

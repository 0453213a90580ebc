import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { retentionBounds } from './bounds.ts'
import { oldRows } from './old-rows.store.ts'
import { oldRowsSweep } from './old-rows.sweep.ts'

const newId = createIdMaker(systemClock)
let database: TestDatabase
let system: Database
let org: string
beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 2, log, acquireTimeoutMs: 30_000 })
  org = toUuid(newId('org'))
  await sql("insert into organisations (id, name) values ($1, 'Test')", [org])
})
afterAll(async () => {
  await system.close()
  await database.drop()
})
beforeEach(() => sql('truncate alerts, batches, policy_trials, budget_spend, mail_recipients'))

const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])
const countOf = async (table: string) =>
  (await sql<{ rows: number }>(`select count(*)::integer as rows from ${table}`))[0]?.rows
const plantRecipients = (rows: number, days: number) =>
  sql(
    `insert into mail_recipients (subject, created_at)
     select sha256(gen_random_uuid()::text::bytea), app_now() - make_interval(days => $2) from generate_series(1, $1::integer)`,
    [rows, days],
  )
const open = (over: Partial<Database> = {}) => {
  const clock = fakeClock()
  const lines: string[] = []
  const log = createLog({ level: 'error', write: (line) => lines.push(line) })
  const sweep = oldRowsSweep({ system: { ...system, ...over }, clock, log, retentionDays: 30 })
  return { sweep, clock, lines }
}

test('all old rows are deleted, page after page, and each table has its interval', async () => {
  await plantRecipients(2 * retentionBounds.oldRowsTogether.count + 100, 2)
  await plantRecipients(3, 0)
  const { sweep, clock } = open()
  await sweep.run()
  expect(await countOf('mail_recipients')).toBe(3)
  await plantRecipients(1, 2)
  clock.advance(599_000)
  await sweep.run()
  expect(await countOf('mail_recipients')).toBe(4)
  clock.advance(2_000)
  await sweep.run()
  expect(await countOf('mail_recipients')).toBe(3)
})

test('a table whose rows cannot be deleted does not keep those of the others', async () => {
  await plantRecipients(1, 2)
  const once: Database['once'] = (by, each) =>
    each.name?.startsWith('session_tokens.') ? Promise.reject(new Error('broken')) : system.once(by, each)
  const { sweep, lines } = open({ once })
  await sweep.run()
  expect(await countOf('mail_recipients')).toBe(0)
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ table: 'session_tokens' })])
})

test('an ended session is kept while a token of it is, and keeps no other session', async () => {
  const user = toUuid(newId('usr'))
  const [withToken, other] = [toUuid(newId('ses')), toUuid(newId('ses'))]
  await sql('insert into users (id, email) values ($1, $2)', [user, 'anna@example.com'])
  for (const id of [withToken, other])
    await sql(
      `insert into sessions (id, org_id, user_id, hash, expires_at, ended_at)
       values ($1, $2, $3, sha256(gen_random_uuid()::text::bytea), app_now(), app_now() - interval '31 days')`,
      [id, org, user],
    )
  await sql(
    `insert into session_tokens (id, org_id, session_id, hash, scopes, expires_at)
     values (gen_random_uuid(), $1, $2, sha256('token'), '{}', app_now() - interval '31 days')`,
    [org, withToken],
  )
  const left = async () => (await sql<{ id: string }>('select id from sessions')).map(({ id }) => id)
  const once: Database['once'] = (by, each) =>
    each.name?.startsWith('session_tokens.') ? Promise.reject(new Error('broken')) : system.once(by, each)
  const { sweep, lines } = open({ once })
  await sweep.run()
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ table: 'session_tokens' })])
  expect(await left()).toEqual([withToken])
  await open().sweep.run()
  expect(await left()).toEqual([])
})

test('alerts, batches and trials are kept as long as runs, and counters of budgets for 13 months', async () => {
  const agent = toUuid(newId('ag'))
  await sql(
    `insert into agents (id, org_id, name, kind, source, config) values ($1, $2, 'Agent', 'llm', 'custom', '{}')`,
    [agent, org],
  )
  const policy = toUuid(newId('pol'))
  const uuidAt = (days: number) =>
    `overlay(uuid_floor(app_now() - interval '${days} days')::text placing substr(gen_random_uuid()::text, 15) from 15)::uuid`
  for (const days of [29, 31]) {
    await sql(
      `insert into alerts (id, org_id, rule_id, rule, severity, snapshot, triggered_at, resolved_at, resolution)
       values (gen_random_uuid(), $1, gen_random_uuid(), '{}', 'info', '{}', app_now() - interval '400 days', app_now() - make_interval(days => $2), 'recovered')`,
      [org, days],
    )
    await sql(
      `insert into batches (id, org_id, agent_id, status, items, bytes, created_by, created_by_type, due_at, finished_at)
       values (${uuidAt(days)}, $1, $2, 'completed', 1, 1, $2, 'key', null, app_now())`,
      [org, agent],
    )
    await sql(
      `insert into policy_trials (id, org_id, policy_id, policy_version, since, until, sample, status, result, samples, due_at, ended_at,
         created_by, created_by_type)
       values (gen_random_uuid(), $1, $2, 1, app_now(), app_now(), 1, 'completed', '{}',
         json_build_array(json_build_object('run', ${uuidAt(29)}), json_build_object('run', ${uuidAt(31)})), null,
         app_now() - make_interval(days => $3), $2, 'key')`,
      [org, policy, days],
    )
  }
  // One that has not finished stays, however old it is, and so does an alert that goes on.
  await sql(
    `insert into alerts (id, org_id, rule_id, rule, severity, snapshot, triggered_at)
     values (gen_random_uuid(), $1, gen_random_uuid(), '{}', 'info', '{}', app_now() - interval '400 days')`,
    [org],
  )
  await sql(
    `insert into batches (id, org_id, agent_id, items, bytes, created_by, created_by_type) values (${uuidAt(60)}, $1, $2, 1, 1, $2, 'key')`,
    [org, agent],
  )
  for (const months of [12, 14])
    await sql(
      `insert into budget_spend (org_id, subject_id, month, slot, cost_usd)
       values ($1, $1, (date_trunc('month', app_now()) - make_interval(months => $2))::date, 0, 1)`,
      [org, months],
    )
  await open().sweep.run()
  expect(await Promise.all(['alerts', 'batches', 'policy_trials', 'budget_spend'].map(countOf))).toEqual([2, 2, 1, 1])
  expect(await sql('select json_array_length(samples) as samples from policy_trials')).toEqual([{ samples: 1 }])
})

test('every row of the table names a table that exists, and its statement runs', async () => {
  for (const rows of oldRows) {
    expect(await countOf(rows.table)).toBeDefined()
    await system.once(null, rows.page({ days: 30, limit: 1 }))
  }
})

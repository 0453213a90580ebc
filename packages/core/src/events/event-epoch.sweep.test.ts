import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventEpochSweep } from './event-epoch.sweep.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let system: Database

beforeAll(async () => {
  database = await createTestDatabase()
  system = openDatabase({ url: database.systemUrl, name: 'system', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await system.close()
  await database.drop()
})

const query = (text: string) =>
  asClient(database.superuserUrl, async (client) => (await client.query<Record<string, string>>(text)).rows)
const epoch = async () => (await query('select epoch from event_clock'))[0]?.epoch
const timeline = async () => (await query('select timeline from event_clock'))[0]?.timeline

beforeEach(async () => {
  await query('update event_clock set timeline = null')
})

test('the first timeline that is noted is no new epoch, and neither is the same one again', async () => {
  const first = await epoch()
  const sweep = eventEpochSweep({ system, newId, log })
  await sweep.run()
  expect(await epoch()).toBe(first)
  const [server] = await query('select system_identifier::text as id from pg_control_system()')
  expect(await timeline()).toMatch(new RegExp(`^${server?.id}/[0-9A-F]{8}$`))
  await sweep.run()
  expect(await epoch()).toBe(first)
})

test.each([
  ['another timeline, as after a promotion or a restore', `split_part(timeline, '/', 1) || '/000000FF'`],
  ['another cluster, as after a dump was loaded', `'1/' || split_part(timeline, '/', 2)`],
])('a database that is on %s gets a new epoch, once for all workers', async (_, before) => {
  await eventEpochSweep({ system, newId, log }).run()
  const [first, present] = [await epoch(), await timeline()]
  await query(`update event_clock set timeline = ${before}`)
  await Promise.all(Array.from({ length: 4 }, () => eventEpochSweep({ system, newId, log }).run()))
  const renewed = await epoch()
  expect(renewed).not.toBe(first)
  expect(await timeline()).toBe(present)
  await eventEpochSweep({ system, newId, log }).run()
  expect(await epoch()).toBe(renewed)
})

test('a database that does not tell its timeline is asked once, and one that is away is asked again', async () => {
  let error: Error = new DatabaseUnavailable('away')
  let asked = 0
  const db: Database = {
    ...system,
    once: () => {
      asked++
      return Promise.reject(error)
    },
  }
  const sweep = eventEpochSweep({ system: db, newId, log })
  await expect(sweep.run()).rejects.toThrow('away')
  error = new Error('permission denied for function pg_control_system')
  for (let n = 0; n < 3; n++) await sweep.run()
  expect(asked).toBe(2)
})

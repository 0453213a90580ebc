import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { openLink } from '@ars/testkit/slow/link'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { sql, statement, type Uuid } from './statement.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
let database: TestDatabase
/** Its role may create organisations. */
let system: Database
beforeAll(async () => {
  database = await createTestDatabase()
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await system.close()
  await database.drop()
})

const orgNow = { text: `select current_setting('app.org_id', true) as org`, values: [] }
const insertOrg = statement<{ org: Uuid; p2: string }>(
  'test.insert_org',
  sql`insert into organisations (id, name) values (:org, :p2)`,
)

test('two migrations at once do not collide: one applies, the other finds nothing to do', async () => {
  const dir = new URL('../../../../db', import.meta.url).pathname
  const fresh = await createTestDatabase()
  await asClient(fresh.superuserUrl, async (superuser) => {
    await superuser.query('drop schema public cascade')
    await superuser.query('create schema public authorization ars_owner')
  })
  const applied = await Promise.all([1, 2].map(() => migrate({ url: fresh.ownerUrl, dir })))
  const [idle, working] = applied.toSorted((one, other) => one.length - other.length)
  expect(idle).toEqual([])
  expect(working).toEqual(expect.arrayContaining(['baseline', 'admit_runs()']))
  await fresh.drop()
})

test('a connection that takes longer than the caller waits is still opened for later callers', async () => {
  const slow = await slowWayTo(database.appUrl, 60)
  const impatient = openDatabase({ url: slow.url, name: 'impatient', size: 1, acquireTimeoutMs: 100, log })
  await expect(impatient.once(org, orgNow)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect.poll(() => impatient.once(org, orgNow).catch(() => false)).toBeTruthy()
  expect(await impatient.once(org, orgNow)).toEqual([{ org }])
  await impatient.close()
  slow.close()
})

/** Delays everything that passes. */
const slowWayTo = async (url: string, delayMs: number) => {
  const { hostname, port } = new URL(url)
  const server = createServer((caller) => {
    const called = connect({ host: hostname, port: Number(port) })
    for (const [from, to] of [
      [caller, called],
      [called, caller],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (bytes) => void setTimeout(() => to.write(bytes), delayMs))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const way = new URL(url)
  way.hostname = '127.0.0.1'
  way.port = String((server.address() as AddressInfo).port)
  return { url: way.href, close: () => server.close() }
}

test('a deadlock is retried, and its victim succeeds', async () => {
  const wide = openDatabase({ url: database.systemUrl, name: 'wide', size: 3, acquireTimeoutMs: 30_000, log })
  const [first, second] = ['01890a5d-ac96-774b-bcce-b302099a8061', '01890a5d-ac96-774b-bcce-b302099a8062']
  for (const id of [first, second]) await system.once(id, insertOrg({ org: id, p2: 'before' }))
  const rename = (id: string, name: string) => ({
    text: 'update organisations set name = $2 where id = $1 returning pg_backend_pid() as pid',
    values: [id, name],
  })
  const waits = {
    text: `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
    values: [database.name],
  }
  const victim = await wide.transaction(first, async (tx) => {
    await tx.query(rename(first, 'holder'))
    const batch = wide.batch(first, [rename(second, 'victim'), rename(first, 'victim')])
    await expect.poll(async () => (await wide.once(null, waits)).length > 0).toBeTruthy()
    await tx.query(rename(second, 'holder'))
    return { batch }
  })
  await victim.batch
  await wide.close()
  expect(
    await system.once(first, { text: 'select distinct name from organisations where name <> $1', values: ['first'] }),
  ).toEqual([{ name: 'victim' }])
})

test('a transaction on a database that hangs ends with the timeout of one statement (platformBounds.databaseQuery)', {
  timeout: 60_000,
}, async () => {
  const link = await openLink(database.appUrl)
  const linked = openDatabase({ url: link.url, name: 'linked', size: 1, acquireTimeoutMs: 30_000, log })
  const work = linked.transaction(org, async (tx) => {
    await tx.query(orgNow)
    link.set('hung')
    return tx.query(orgNow)
  })
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
  // A rollback would have another 6 s.
  expect(link.lost()).toContain('app.org_id')
  expect(link.lost()).not.toContain('rollback')
  link.close()
  await linked.close()
})

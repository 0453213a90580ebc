import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { createLog } from '../log/log.ts'
import { type Database, openDatabase } from './database.ts'
import { sql, statement, type Uuid } from './statement.ts'
import { DatabaseBusy, DatabaseUnavailable } from './unavailable.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
let database: TestDatabase
let db: Database
/** Its role may create organisations. */
let system: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.appUrl, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await Promise.all([db.close(), system.close()])
  await database.drop()
})

const orgNow = { text: `select current_setting('app.org_id', true) as org`, values: [] }
const insertOrg = statement<{ org: Uuid; p2: string }>(
  'test.insert_org',
  sql`insert into organisations (id, name) values (:org, :p2)`,
)

test('a transaction sets its organisation, and the connection does not keep it', async () => {
  expect(await db.once(org, orgNow)).toEqual([{ org }])
  expect(await db.once(null, orgNow)).toEqual([{ org: '' }])
  expect(await db.transaction(org, (tx) => tx.query(orgNow))).toEqual([{ org }])
})

test('transactions that run alone wait without a connection, up to platformBounds.transactionsBehind', async () => {
  const pool = openDatabase({ url: database.appUrl, name: 'alone', size: 3, acquireTimeoutMs: 30_000, log })
  const end = Promise.withResolvers<void>()
  let began = 0
  const start = () =>
    pool.transaction(
      org,
      async (tx) => {
        began++
        await tx.query(orgNow)
        await end.promise
      },
      'starts',
    )
  const alone = Array.from({ length: 1 + platformBounds.transactionsBehind.count }, start)
  await expect(start()).rejects.toThrow(DatabaseBusy)
  await expect.poll(() => began).toBe(1)
  const other = '01890a5d-ac96-774b-bcce-b302099a8058'
  expect(await pool.transaction(other, (tx) => tx.query(orgNow), 'starts')).toEqual([{ org: other }])
  expect(await pool.transaction(org, (tx) => tx.query(orgNow), 'others')).toEqual([{ org }])
  expect(began).toBe(1)
  expect(pool.state()).toMatchObject({ inUse: 1, waiting: 0 })
  end.resolve()
  await Promise.all(alone)
  expect(began).toBe(alone.length)
  await pool.close()
})

test('a batch is one transaction: if one statement fails, none takes effect', async () => {
  const failing = { text: 'select 1 / 0', values: [] }
  await expect(system.batch(org, [insertOrg({ org, p2: 'first' }), failing])).rejects.toThrow('division by zero')
  expect(await system.once(org, { text: 'select name from organisations', values: [] })).toEqual([])
})

const whoNow = statement<Record<never, never>, { role: string; orgs: string | null }>(
  'test.who_now',
  sql`select current_user::text as role, nullif(current_setting('app.org_ids', true), '') as orgs`,
)
const divide = statement('test.divide', sql`select 1 / 0`)

test('a batch of several organisations has the role of batches until its end, also when it fails', async () => {
  const other = '01890a5d-ac96-774b-bcce-b302099a8058'
  const single = openDatabase({ url: database.appUrl, name: 'single', size: 1, acquireTimeoutMs: 30_000, log })
  // The second time, the statements are prepared.
  for (let n = 0; n < 2; n++) {
    expect(await single.batchOf([org, other], [whoNow()])).toEqual([[{ role: 'ars_batch', orgs: `{${org},${other}}` }]])
    expect(await single.once(null, whoNow())).toEqual([{ role: 'ars_app', orgs: null }])
    await expect(single.batchOf([org], [divide()])).rejects.toThrow('division by zero')
    expect(await single.once(org, whoNow())).toEqual([{ role: 'ars_app', orgs: null }])
  }
  await single.close()
})

test('another login may not change to the role of batches', async () => {
  await expect(system.batchOf([org], [whoNow()])).rejects.toThrow('permission denied')
})

test('a transaction whose work throws is rolled back', async () => {
  const work = system.transaction(org, async (tx) => {
    await tx.query(insertOrg({ org, p2: 'second' }))
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await system.once(org, { text: 'select name from organisations', values: [] })).toEqual([])
})

test('a busy organisation waits for its own queries, and another organisation for at most one of them', async () => {
  const single = openDatabase({ url: database.appUrl, name: 'single', size: 1, acquireTimeoutMs: 30_000, log })
  const answered: string[] = []
  const ask = async (who: string, of: string) => {
    await single.once(of, orgNow)
    answered.push(who)
  }
  const other = '01890a5d-ac96-774b-bcce-b302099a8058'
  await Promise.all([...Array.from({ length: 50 }, () => ask('noisy', org)), ask('quiet', other)])
  await single.close()
  expect(answered.indexOf('quiet')).toBe(2)
})

test('an exhausted pool rejects quickly instead of letting callers wait', async () => {
  const small = openDatabase({ url: database.appUrl, name: 'small', size: 1, acquireTimeoutMs: 50, log })
  const isOpen = () =>
    small.once(org, orgNow).then(
      () => true,
      () => false,
    )
  await expect.poll(isOpen).toBe(true)
  let release: () => void = () => undefined
  const held = small.transaction(
    org,
    () =>
      new Promise<void>((resolve) => {
        release = resolve
      }),
  )
  await expect(small.once(org, orgNow)).rejects.toBeInstanceOf(DatabaseUnavailable)
  release()
  await held
  await small.close()
})

test('a missing database is reported as unavailable', async () => {
  const nowhere = openDatabase({
    url: 'postgres://ars_app:x@127.0.0.1:1/ars',
    name: 'nowhere',
    size: 1,
    acquireTimeoutMs: 30_000,
    log,
  })
  await expect(nowhere.once(org, orgNow)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await nowhere.close()
})

test('a request waits for a lock up to the lock timeout of its pool and then fails as retryable', async () => {
  const impatient = openDatabase({
    url: database.appUrl,
    name: 'impatient',
    size: 1,
    acquireTimeoutMs: 30_000,
    lockTimeoutMs: 50,
    log,
  })
  const owner = openDatabase({ url: database.ownerUrl, name: 'owner', size: 1, acquireTimeoutMs: 30_000, log })
  const look = { text: 'select name from organisations', values: [] }
  const process = { text: 'select pg_backend_pid() as pid', values: [] }
  const before = await impatient.once(org, process)
  await owner.transaction(null, async (tx) => {
    await tx.query({ text: 'lock table organisations in access exclusive mode', values: [] })
    await expect(impatient.once(org, look)).rejects.toBeInstanceOf(DatabaseBusy)
    await expect(impatient.transaction(org, (own) => own.query(look))).rejects.toBeInstanceOf(DatabaseBusy)
  })
  expect(await impatient.once(org, look)).toEqual([])
  // The connection and its prepared statements are kept.
  expect(await impatient.once(org, process)).toEqual(before)
  await Promise.all([impatient.close(), owner.close()])
})

test('serialization failures and deadlocks are retried three times (platformBounds.conflictRetries)', async () => {
  await asClient(database.ownerUrl, (owner) =>
    owner.query(`create sequence tries;
      grant usage on sequence tries to ars_app;
      create function fail_until(try integer, failure text) returns bigint language plpgsql as $$
      begin
        if nextval('tries') < try then raise exception using errcode = failure; end if;
        return currval('tries');
      end $$`),
  )
  const succeedAt = (last: number, code: string) => ({
    text: 'select fail_until($1, $2) as tried',
    values: [last, code],
  })
  expect(await db.once(org, succeedAt(3, '40001'))).toEqual([{ tried: '3' }])
  expect(await db.transaction(org, (tx) => tx.query(succeedAt(6, '40P01')))).toEqual([{ tried: '6' }])
  await expect(db.once(org, succeedAt(100, '40P01'))).rejects.toBeInstanceOf(DatabaseBusy)
  expect(await db.once(org, succeedAt(0, ''))).toEqual([{ tried: '11' }])
})

const failWith = (code: string) => ({
  text: `do $$ begin raise exception 'planted' using errcode = '${code}'; end $$`,
  values: [],
})

test.each([
  ['53100', 'disk_full'],
  ['25006', 'database_read_only'],
  ['55P03', 'blocked'],
  ['57014', 'database_busy'],
  ['53200', 'database_busy'],
  ['57P01', 'database_away'],
])('the failure %s of Postgres is the reason %s', async (code, why) => {
  const opened = openDatabase({ url: database.appUrl, name: 'why', size: 1, acquireTimeoutMs: 30_000, log })
  const failed = await opened.once(org, failWith(code)).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(DatabaseUnavailable)
  expect((failed as DatabaseUnavailable).why).toBe(why)
  await opened.close()
})

test('after a full disk a pool cannot write until the server has shown that it can', async () => {
  const opened = openDatabase({ url: database.appUrl, name: 'full', size: 1, acquireTimeoutMs: 30_000, log })
  expect(opened.state().canWrite).toBe(true)
  await expect(opened.once(org, failWith('53100'))).rejects.toBeInstanceOf(DatabaseBusy)
  expect(opened.state().canWrite).toBe(false)
  expect(await opened.findFault()).toBeNull()
  expect(opened.state().canWrite).toBe(true)
  await opened.close()
})

test('a pool whose server is read-only cannot write', async () => {
  const url = new URL(database.appUrl)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const opened = openDatabase({ url: url.href, name: 'read-only', size: 1, acquireTimeoutMs: 30_000, log })
  expect(await opened.findFault()).toBe('is read-only')
  expect(opened.state().canWrite).toBe(false)
  await opened.close()
})

import { readdir } from 'node:fs/promises'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { statement } from './statement.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.appUrl, name: 'test', size: 2, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const orgNow = { text: `select current_setting('app.org_id', true) as org`, values: [] }
const insertOrg = statement('test.insert_org', 'insert into organisations (id, name) values ($1, $2)')

test('a transaction speaks for its organisation, and the connection forgets it afterwards', async () => {
  expect(await db.once(org, orgNow)).toEqual([{ org }])
  expect(await db.once(null, orgNow)).toEqual([{ org: '' }])
  expect(await db.transaction(org, (tx) => tx.query(orgNow))).toEqual([{ org }])
})

test('a batch is one transaction: when one statement fails, none has happened', async () => {
  const failing = { text: 'select 1 / 0', values: [] }
  await expect(db.batch(org, [insertOrg(org, 'first'), failing])).rejects.toThrow('division by zero')
  expect(await db.once(org, { text: 'select name from organisations', values: [] })).toEqual([])
})

test('a transaction whose work throws is rolled back', async () => {
  const work = db.transaction(org, async (tx) => {
    await tx.query(insertOrg(org, 'second'))
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  expect(await db.once(org, { text: 'select name from organisations', values: [] })).toEqual([])
})

test('a pool that is used up refuses quickly instead of letting callers wait', async () => {
  const small = openDatabase({ url: database.appUrl, name: 'small', size: 1, log })
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

test('a database that is not there is unavailable, not a bug', async () => {
  const nowhere = openDatabase({ url: 'postgres://ars_app:x@127.0.0.1:1/ars', name: 'nowhere', size: 1, log })
  await expect(nowhere.once(org, orgNow)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await nowhere.close()
})

test('two migrations at once do not collide: one applies, the other finds nothing to do', async () => {
  const dir = new URL('../../../../db/migrations', import.meta.url).pathname
  const fresh = await createTestDatabase()
  await asClient(fresh.superuserUrl, async (superuser) => {
    await superuser.query('drop schema public cascade')
    await superuser.query('create schema public authorization ars_owner')
  })
  const applied = await Promise.all([1, 2].map(() => migrate({ url: fresh.ownerUrl, dir })))
  expect(applied.map(({ length }) => length).toSorted()).toEqual([0, await migrationCount(dir)])
  await fresh.drop()
})

const migrationCount = async (dir: string): Promise<number> => {
  return (await readdir(dir)).filter((file) => file.endsWith('.sql')).length
}

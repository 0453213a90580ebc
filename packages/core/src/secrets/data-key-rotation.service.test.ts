import { createSecretKey, randomBytes } from 'node:crypto'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createKeyring, dataKeyIdOf } from '@ars/platform/envelope'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../test/add-organisation.ts'
import { retiredKeptHours, rotateDataKeys } from './data-key-rotation.service.ts'
import { createSecrets, rewrapKeys, type SealedPlace } from './index.ts'

let database: TestDatabase
let app: Database
let system: Database
const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const newKek = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
const old = newKek('2026')
const keyring = createKeyring({ keks: [old], activeKekId: '2026' })

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'test', size: 4, log, acquireTimeoutMs: 30_000 })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 4, log, acquireTimeoutMs: 30_000 })
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

const newOrg = () => addOrganisation(database)

/** A column of secrets in memory: the real ones are tested through the admin command. */
const placeWith = (rows: Map<string, Buffer>): SealedPlace => ({
  name: 'rows',
  list: async (_db, _org, { dataKeyId, after, limit }) =>
    [...rows]
      .filter(([key, sealed]) => dataKeyIdOf(sealed) !== dataKeyId.toString('hex') && (after === null || key > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, sealed]) => ({ key, sealed, record: key })),
  replace: async (_db, _org, { key, from, to }) => {
    if (!rows.get(key)?.equals(from)) return false
    rows.set(key, to)
    return true
  },
})

const retiredOf = async (org: string): Promise<number> =>
  asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query('select cardinality(retired) as count from org_keys where org_id = $1', [org])
    return rows[0].count
  })

test('a rotation seals every secret with a new key, and the retired key opens old copies', async () => {
  const org = await newOrg()
  const stale = createSecrets({ app, keyring })
  const rows = new Map<string, Buffer>()
  for (let n = 0; n < 250; n++) rows.set(`row ${1000 + n}`, await stale.seal(org, `secret ${n}`, `row ${1000 + n}`))
  const before = new Map(rows)

  const places = [placeWith(rows)]
  const report = await rotateDataKeys({ system, keyring, places, newId }, { org, olderThanDays: 0 })
  expect(report).toEqual({ rotated: 1, resealed: 250, cleaned: 0, retired: 1, failed: [] })
  const audited = await asClient(database.superuserUrl, async (client) => {
    const found = await client.query('select action, actor_type, after from audit_log where org_id = $1', [org])
    return found.rows
  })
  const entry = { action: 'organisation.data_key_rotated', actor_type: 'operator', after: { kek_id: '2026' } }
  expect(audited).toContainEqual(entry)

  const fresh = createSecrets({ app, keyring })
  for (const [key, sealed] of rows) {
    expect(sealed).not.toEqual(before.get(key))
    expect(await fresh.open(org, sealed, key)).toBe(`secret ${Number(key.slice(4)) - 1000}`)
  }
  expect(await fresh.open(org, before.get('row 1000') as Buffer, 'row 1000')).toBe('secret 0')
})

test('a process that has just read the old key opens a secret of the new key, and reloads once a second', async () => {
  const org = await newOrg()
  let now = 0
  const stale = createSecrets({ app, keyring, clock: { ...systemClock, monotonicMs: () => now } })
  await stale.seal(org, 'first', 'row')
  await rotateDataKeys({ system, keyring, places: [], newId }, { org, olderThanDays: 0 })
  const sealed = await createSecrets({ app, keyring }).seal(org, 'second', 'row')
  expect(await stale.open(org, sealed, 'row')).toBe('second')
  await rotateDataKeys({ system, keyring, places: [], newId }, { org, olderThanDays: 0 })
  const next = await createSecrets({ app, keyring }).seal(org, 'third', 'row')
  await expect(stale.open(org, next, 'row')).rejects.toThrow('was sealed with the data key')
  now = 1_001
  expect(await stale.open(org, next, 'row')).toBe('third')
})

test('a young key is not rotated again, and a retired one is deleted after it cannot be in use', async () => {
  const org = await newOrg()
  const secrets = createSecrets({ app, keyring })
  const rows = new Map([['row', await secrets.seal(org, 'secret', 'row')]])
  const places = [placeWith(rows)]
  await rotateDataKeys({ system, keyring, places, newId }, { org, olderThanDays: 0 })
  // A process that has not noticed the rotation seals with the old key.
  rows.set('late', await secrets.seal(org, 'late', 'late'))

  const again = await rotateDataKeys({ system, keyring, places, newId }, { org, olderThanDays: 30 })
  expect(again).toEqual({ rotated: 0, resealed: 1, cleaned: 0, retired: 1, failed: [] })
  expect(await retiredOf(org)).toBe(1)

  await moveDatabaseClock(database.ownerUrl, (retiredKeptHours + 1) * 3_600_000)
  const later = await rotateDataKeys({ system, keyring, places, newId }, { org, olderThanDays: 30 })
  expect(later).toEqual({ rotated: 0, resealed: 0, cleaned: 1, retired: 0, failed: [] })
  expect(await retiredOf(org)).toBe(0)
  const fresh = createSecrets({ app, keyring })
  expect(await fresh.open(org, rows.get('late') as Buffer, 'late')).toBe('late')
})

test('two commands at once rotate an organisation once', async () => {
  const org = await newOrg()
  await createSecrets({ app, keyring }).seal(org, 'secret', 'row')
  const reports = await Promise.all(
    [1, 2].map(() => rotateDataKeys({ system, keyring, places: [], newId }, { org, olderThanDays: 0 })),
  )
  const rotations = reports.reduce((sum, { rotated }) => sum + rotated, 0)
  expect(await retiredOf(org)).toBe(rotations)
  expect(rotations).toBeGreaterThanOrEqual(1)
})

test('a new key-encryption key rewraps retired keys too, and rotation asks for the rewrap first', async () => {
  const org = await newOrg()
  const sealed = await createSecrets({ app, keyring }).seal(org, 'secret', 'row')
  await rotateDataKeys({ system, keyring, places: [], newId }, { org, olderThanDays: 0 })
  const young = newKek('2027')
  const both = createKeyring({ keks: [young, old], activeKekId: '2027' })
  const { failed } = await rotateDataKeys({ system, keyring: both, places: [], newId }, { org, olderThanDays: 0 })
  expect(failed).toEqual([{ org, reason: expect.stringContaining('run ars-server admin rewrap first') }])
  await rewrapKeys({ system, keyring: both })
  const alone = createKeyring({ keks: [young], activeKekId: '2027' })
  expect(await createSecrets({ app, keyring: alone }).open(org, sealed, 'row')).toBe('secret')
})

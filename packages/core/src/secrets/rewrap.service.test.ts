import { createSecretKey, randomBytes } from 'node:crypto'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createKeyring, type Kek, type Keyring } from '@ars/platform/envelope'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkKeks, createSecrets, rewrapKeys } from './index.ts'

let database: TestDatabase
let app: Database
let system: Database
const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'test', size: 6, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 4, acquireTimeoutMs: 30_000, log })
})
// The data keys of other tests are not counted.
afterEach(() => asSuperuser('delete from org_keys'))
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

const kek = (id: string): Kek => ({ id, key: createSecretKey(randomBytes(32)) })
const ring = (...keks: Kek[]): Keyring => createKeyring({ keks, activeKekId: keks[0]?.id ?? '' })
const [old, young, stranger] = [kek('2026'), kek('2027'), kek('lost')]

const asSuperuser = <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])

const newOrgs = async (count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => toUuid(newId('org')))
  await asSuperuser(`insert into organisations (id, name) select id, 'Test' from unnest($1::uuid[]) as id`, [ids])
  return ids
}

const sealFor = async (orgs: readonly string[], keyring: Keyring) => {
  const secrets = createSecrets({ app, keyring })
  const sealed = new Map<string, Buffer>()
  for (const org of orgs) sealed.set(org, await secrets.seal(org, `secret of ${org}`, 'row'))
  return sealed
}

const expectAllOpen = async (sealed: Map<string, Buffer>, keyring: Keyring) => {
  const secrets = createSecrets({ app, keyring })
  for (const [org, bytes] of sealed) expect(await secrets.open(org, bytes, 'row')).toBe(`secret of ${org}`)
}

test('after the rewrap every secret decrypts with the new key alone', async () => {
  const sealed = await sealFor(await newOrgs(250), ring(old))
  const batches: number[] = []
  const report = await rewrapKeys({ system, keyring: ring(young, old) }, ({ rewrapped }) => batches.push(rewrapped))
  expect(report).toEqual({ active: '2027', rewrapped: 250, left: {}, failed: [] })
  expect(batches).toEqual([100, 200, 250])
  await expectAllOpen(sealed, ring(young))
  expect(await rewrapKeys({ system, keyring: ring(young, old) })).toMatchObject({ rewrapped: 0, left: {} })
})

test('two concurrent rewraps share the work, and neither reverts the other', async () => {
  const sealed = await sealFor(await newOrgs(120), ring(old))
  const keyring = ring(young, old)
  const reports = await Promise.all([rewrapKeys({ system, keyring }), rewrapKeys({ system, keyring })])
  expect(reports.reduce((sum, { rewrapped }) => sum + rewrapped, 0)).toBe(120)
  await rewrapKeys({ system, keyring })
  await expectAllOpen(sealed, ring(young))
})

test('an interrupted rewrap is restarted and completes the rest', async () => {
  const sealed = await sealFor(await newOrgs(150), ring(old))
  const keyring = ring(young, old)
  const stopped = rewrapKeys({ system, keyring }, () => {
    throw new Error('stopped')
  })
  await expect(stopped).rejects.toThrow('stopped')
  expect(await checkKeks({ system, keyring })).toEqual([
    { kekId: '2027', organisations: 100, fault: null },
    { kekId: '2026', organisations: 50, fault: null },
  ])
  expect(await rewrapKeys({ system, keyring })).toMatchObject({ rewrapped: 50, left: {} })
  await expectAllOpen(sealed, ring(young))
})

test('a data key under an unknown key is reported and left unchanged', async () => {
  const [lost = ''] = await newOrgs(1)
  const sealed = await sealFor([lost], ring(stranger))
  const others = await sealFor(await newOrgs(3), ring(old))
  const keyring = ring(young, old)
  const report = await rewrapKeys({ system, keyring })
  expect(report).toMatchObject({ rewrapped: 3, left: { lost: 1 } })
  expect(report.failed).toEqual([
    { org: lost, kekId: 'lost', reason: 'The key-encryption key lost is needed and is not among the keys' },
  ])
  expect(await checkKeks({ system, keyring })).toEqual([
    { kekId: '2027', organisations: 3, fault: null },
    { kekId: 'lost', organisations: 1, fault: 'is not among the keys' },
  ])
  await expectAllOpen(sealed, ring(stranger))
  await expectAllOpen(others, ring(young))
})

test('the key check detects a different key with the right name', async () => {
  await sealFor(await newOrgs(2), ring(old))
  const [check] = await checkKeks({ system, keyring: ring(kek('2026')) })
  expect(check).toMatchObject({
    kekId: '2026',
    organisations: 2,
    fault: expect.stringContaining('that is another key'),
  })
  expect(await checkKeks({ system, keyring: undefined })).toMatchObject([
    { kekId: '2026', fault: 'is not among the keys' },
  ])
})

test('the key is rotated under load: no process fails, and secrets sealed meanwhile decrypt', async () => {
  const orgs = await newOrgs(200)
  const before = await sealFor(orgs.slice(0, 150), ring(old))
  const sealed: { org: string; bytes: Buffer; secret: string }[] = []
  let isOver = false
  let opened = 0
  // Each round starts with an empty cache, like a new process: it reads the current key.
  const work = async (name: string, keyring: Keyring) => {
    for (let turn = 0; !isOver || turn === 0; turn++) {
      const secrets = createSecrets({ app, keyring })
      const org = orgs[(turn * 7) % orgs.length] ?? ''
      const secret = `${name} ${turn}`
      const bytes = await secrets.seal(org, secret, 'row')
      expect(await createSecrets({ app, keyring }).open(org, bytes, 'row')).toBe(secret)
      const earlier = before.get(org)
      if (earlier) expect(await secrets.open(org, earlier, 'row')).toBe(`secret of ${org}`)
      sealed.push({ org, bytes, secret })
      opened += 1
    }
  }
  // One process does not yet put the new key first, the other does; both know both keys.
  const load = Promise.all([work('one', ring(old, young)), work('two', ring(young, old))])
  // Back and forth under load; at the end the new key wraps everything.
  let rewrapped = 0
  for (let turn = 0; opened < 200; turn++) {
    const keyring = turn % 2 === 0 ? ring(young, old) : ring(old, young)
    rewrapped += (await rewrapKeys({ system, keyring })).rewrapped
  }
  isOver = true
  await load
  expect(rewrapped).toBeGreaterThanOrEqual(150)
  expect((await rewrapKeys({ system, keyring: ring(young, old) })).left).toEqual({})
  await expectAllOpen(before, ring(young))
  const last = createSecrets({ app, keyring: ring(young) })
  for (const { org, bytes, secret } of sealed) expect(await last.open(org, bytes, 'row')).toBe(secret)
})

test('the database contains none of a hundred secrets, nor a data key, in any encoding', async () => {
  const keyring = ring(old)
  const orgs = await newOrgs(10)
  const secrets = createSecrets({ app, keyring })
  const planted = Array.from({ length: 100 }, (_, n) => `s3cr3t-${n}-${randomBytes(16).toString('hex')}`)
  for (const [n, secret] of planted.entries()) {
    const org = orgs[n % orgs.length] ?? ''
    const id = toUuid(newId('con'))
    await asSuperuser(
      `insert into connectors (created_by_type, id, org_id, name, url, auth_type, credential, created_by)
       values ('key', $1, $2, 'planted', 'https://example.com/', 'bearer', $3, $1)`,
      [id, org, await secrets.seal(org, secret, `connectors/${id}`)],
    )
  }
  const rows = await asSuperuser<{ org_id: string; wrapped: Buffer }>('select org_id, wrapped from org_keys')
  const dataKeys = await Promise.all(rows.map(({ org_id, wrapped }) => keyring.unwrap(wrapped, org_id)))
  const tables = await asSuperuser<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and not relispartition`,
  )
  const dump: string[] = []
  for (const { name } of tables)
    dump.push(...(await asSuperuser<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row))
  const text = dump.join('\n')
  expect(dump.length).toBeGreaterThan(120)
  const secretBytes = [...planted.map((secret) => Buffer.from(secret)), ...dataKeys.map(({ key }) => key.export())]
  for (const bytes of secretBytes)
    for (const encoding of ['utf8', 'hex', 'base64'] as const) expect(text).not.toContain(bytes.toString(encoding))
})

test('a process requests an organisation’s key from the key service once, and while that is unavailable, once a second', async () => {
  const held = kek('kms') as { id: string; key: ReturnType<typeof createSecretKey> }
  const inner = ring(held)
  let asked = 0
  let isAway = false
  const counting: Keyring = {
    ...inner,
    unwrap: (wrapped, org) => {
      asked += 1
      return isAway ? Promise.reject(new KeyServiceUnavailable('away')) : inner.unwrap(wrapped, org)
    },
  }
  const [org = ''] = await newOrgs(1)
  const sealed = (await sealFor([org], inner)).get(org) ?? Buffer.alloc(0)
  const secrets = createSecrets({ app, keyring: counting })
  await Promise.all(Array.from({ length: 50 }, () => secrets.open(org, sealed, 'row')))
  expect(asked).toBe(1)
  isAway = true
  const clock = fakeClock()
  const fresh = createSecrets({ app, keyring: counting, clock })
  for (let n = 0; n < 20; n++) await expect(fresh.open(org, sealed, 'row')).rejects.toThrow(KeyServiceUnavailable)
  expect(asked).toBe(2)
  isAway = false
  await expect(fresh.open(org, sealed, 'row')).rejects.toThrow(KeyServiceUnavailable)
  clock.advance(1_001)
  expect(await fresh.open(org, sealed, 'row')).toBe(`secret of ${org}`)
  expect(asked).toBe(3)
})

import { createSecretKey, randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createKeyring } from '@ars/platform/envelope'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../test/add-organisation.ts'
import { createSecrets } from './index.ts'

let database: TestDatabase
let app: Database
const log = createLog({ level: 'silent' })
const newKek = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
const old = newKek('2026')
const keyring = createKeyring({ keks: [old], activeKekId: '2026' })

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'test', size: 8, log, acquireTimeoutMs: 30_000 })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const newOrg = () => addOrganisation(database)

test('processes that concurrently seal an organisation’s first secrets agree on one data key', async () => {
  const org = await newOrg()
  const processes = Array.from({ length: 8 }, () => createSecrets({ app, keyring }))
  const sealed = await Promise.all(processes.map((secrets, n) => secrets.seal(org, `secret ${n}`, 'row')))
  const reader = createSecrets({ app, keyring })
  expect(await Promise.all(sealed.map((bytes) => reader.open(org, bytes, 'row')))).toEqual(
    sealed.map((_, n) => `secret ${n}`),
  )
})

test('a secret decrypts only in its own context', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  const secrets = createSecrets({ app, keyring })
  const sealed = await secrets.seal(org, 'secret', 'connectors/1')
  await expect(secrets.open(org, sealed, 'connectors/2')).rejects.toThrow('belongs to another record')
  await expect(secrets.open(other, sealed, 'connectors/1')).rejects.toThrow('was sealed with the data key')
  expect(await secrets.open(org, sealed, 'connectors/1')).toBe('secret')
})

test('after a new key-encryption key is put first, old secrets still decrypt and new organisations use the new key', async () => {
  const [org, later] = [await newOrg(), await newOrg()]
  const sealed = await createSecrets({ app, keyring }).seal(org, 'secret', 'row')
  const rotated = createKeyring({ keks: [newKek('2027'), old], activeKekId: '2027' })
  const secrets = createSecrets({ app, keyring: rotated })
  expect(await secrets.open(org, sealed, 'row')).toBe('secret')
  await secrets.seal(later, 'secret', 'row')
  const used = await asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query('select kek_id from org_keys where org_id = any($1) order by 1', [[org, later]])
    return rows
  })
  expect(used).toEqual([{ kek_id: '2026' }, { kek_id: '2027' }])
})

test('a fingerprint is the same for the same text, differs between organisations, and is not a plain hash', async () => {
  const [org, other] = [await newOrg(), await newOrg()]
  const secrets = createSecrets({ app, keyring })
  const first = await secrets.fingerprint(org, 'body')
  expect(await createSecrets({ app, keyring }).fingerprint(org, 'body')).toEqual(first)
  expect(await secrets.fingerprint(org, 'other')).not.toEqual(first)
  expect(await secrets.fingerprint(other, 'body')).not.toEqual(first)
})

test('without a key nothing is sealed', async () => {
  const secrets = createSecrets({ app, keyring: undefined })
  await expect(secrets.seal(await newOrg(), 'secret', 'row')).rejects.toMatchObject({ code: 'secrets_disabled' })
})

test('the application cannot change or delete a stored data key', async () => {
  const org = await newOrg()
  await createSecrets({ app, keyring }).seal(org, 'secret', 'row')
  for (const change of ["update org_keys set kek_id = 'x'", 'delete from org_keys'])
    await expect(app.once(org, { text: change, values: [] })).rejects.toThrow('permission denied')
})

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccess } from '@ars/core/access'
import { createSecrets } from '@ars/core/secrets'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createKeyring, type Keyring, parseKek } from '@ars/platform/envelope'
import { createIdMaker, fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import type { ProgramEnd } from '@ars/testkit/slow/program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arsServer } from './ars-server.slow.ts'

let database: TestDatabase
let app: Database
let system: Database
const dir = mkdtempSync(join(tmpdir(), 'ars-admin-'))
const newId = createIdMaker(systemClock)

beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  app = openDatabase({ url: database.appUrl, name: 'test', size: 4, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
  rmSync(dir, { recursive: true })
})

/** The program, run as an operator runs it, without Redis and the engine, which it does not need. */
const command = (words: string, env: Record<string, string> = {}): Promise<ProgramEnd> => {
  const settings = {
    ARS_DATABASE_URL: database.appUrl,
    ARS_DATABASE_AUTH_URL: database.authUrl,
    ARS_DATABASE_FEED_URL: database.feedUrl,
    ARS_DATABASE_SYSTEM_URL: database.systemUrl,
    ARS_REDIS_URL: 'redis://127.0.0.1:1',
    ARS_ENGINE_INGRESS_URL: 'http://127.0.0.1:1',
    ARS_ENGINE_ADMIN_URL: 'http://127.0.0.1:1',
    ...env,
  }
  return arsServer(words.split(' '), settings)
}

const newOrg = async () =>
  (await createAccess({ app: system, auth: app, clock: systemClock, newId }).createOrganisation('Test')).org
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const ringOf = (...lines: string[]): Keyring =>
  createKeyring({ keks: lines.map((line) => parseKek(line)), activeKekId: parseKek(lines[0] ?? '').id })
const asSuperuser = (sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, (client) => client.query(sql, values))

test('a key is rotated with the steps of the guide, first to another key and then to a program that provides one', async () => {
  const [old, young] = [newKey('2026'), newKey('2027')]
  const orgs = [await newOrg(), await newOrg()]
  const sealed = await Promise.all(
    orgs.map((org) => createSecrets({ app, keyring: ringOf(old) }).seal(org, 'it', 'row')),
  )
  const expectOpens = async (...lines: string[]) => {
    for (const [n, org] of orgs.entries())
      expect(await createSecrets({ app, keyring: ringOf(...lines) }).open(org, sealed[n] ?? Buffer.of(), 'row')).toBe(
        'it',
      )
  }

  const tooEarly = await command('admin rewrap', { ARS_KEKS: young })
  expect(tooEarly.code).toBe(1)
  expect(tooEarly.stdout).toContain('2 data keys still need 2026. Keep it and run this command again.')
  expect(tooEarly.stdout).toContain(`${fromUuid('org', orgs[0] ?? '')}: The key-encryption key 2026 is needed`)

  const doctor = await command('doctor', { ARS_KEKS: young })
  expect(doctor.stdout).toMatch(/^FAIL {2}key-encryption keys {2}2026: 2 organisations; is not among the keys$/m)
  expect(doctor.stdout).toMatch(/^ok {4}key-encryption keys {2}2027, active: 0 organisations, available$/m)

  const rotated = await command('admin rewrap --json', { ARS_KEKS: `${young},${old}` })
  expect(rotated).toMatchObject({ code: 0, stderr: 'rewrapped 2\n' })
  expect(JSON.parse(rotated.stdout)).toEqual({ active: '2027', rewrapped: 2, left: {}, failed: [] })
  await expectOpens(young)

  const program = join(dir, 'held')
  // A weak cipher that is its own inverse.
  writeFileSync(program, `#!/bin/sh\nbase64 -d | LC_ALL=C tr '\\000-\\377' '\\200-\\377\\000-\\177' | base64 -w0\n`)
  chmodSync(program, 0o755)
  const file = join(dir, 'keks')
  writeFileSync(file, `kms:command:${program}\n${young}\n`, { mode: 0o600 })
  const moved = await command('admin rewrap', { ARS_KEK_FILE: file })
  expect(moved).toMatchObject({ code: 0, stderr: 'rewrapped 2\n' })
  expect(moved.stdout).toBe('2 data keys are now wrapped with kms.\nNo other key-encryption key is needed.\n')
  await expectOpens(`kms:command:${program}`)
  expect(`${tooEarly.stdout}${doctor.stdout}${rotated.stdout}`).not.toContain(young.slice(5))
})

test('a rewrap without a key is refused', async () => {
  const { code, stderr } = await command('admin rewrap')
  expect(code).toBe(2)
  expect(stderr).toContain('Set ARS_KEK_FILE or ARS_KEKS')
})

test('the audit check reports for each organisation whether its audit log is intact', async () => {
  const [whole, changed] = [await newOrg(), await newOrg()]
  const lineOf = (text: string, org: string) => text.split('\n').find((line) => line.includes(fromUuid('org', org)))
  const before = await command('admin verify-audit')
  expect(before.code).toBe(0)
  expect(lineOf(before.stdout, whole)).toMatch(/^ok {6}org_\w+ {2}1 entries, last hash [0-9a-f]{64}$/)
  await asSuperuser(`update audit_log set actor_type = 'service' where org_id = $1`, [changed])
  const after = await command('admin verify-audit')
  expect(after.code).toBe(1)
  expect(lineOf(after.stdout, whole)).toBe(lineOf(before.stdout, whole))
  expect(lineOf(after.stdout, changed)).toMatch(/^BROKEN {2}org_\w+ {2}entry 1 of 1 is altered$/)
  expect(await command(`admin verify-audit --org ${fromUuid('org', whole)}`)).toMatchObject({ code: 0 })
})

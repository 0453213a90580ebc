import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase } from '@ars/testkit/database'
import { testEngine } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { examine } from '../src/doctor/doctor.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { judgeDisk } from '../src/doctor/server.ts'
import { type App, startApp, until } from './app.ts'

let app: App
const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const file = (name: string, text: string | Buffer): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const failed = (findings: readonly Finding[]): Finding[] => findings.filter(({ advice }) => advice !== undefined)
const namesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ what }) => what))].sort()

test('doctor finds no fault in a healthy installation', async () => {
  const findings = await examine(app.env)
  expect(failed(findings)).toEqual([])
  expect(findings.filter(({ isSkipped }) => isSkipped)).toEqual([])
})

test('doctor waits for connections that open more slowly than a request may wait', async () => {
  expect(failed(await examine({ ...app.env, ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '1' }))).toEqual([])
})

type Row = { broken: string; env(): Record<string, string>; what: string; found: RegExp; advice: RegExp }

const closed = 'http://127.0.0.1:1'
const rows: Row[] = [
  {
    broken: 'Redis is away',
    env: () => ({ ARS_REDIS_URL: 'redis://127.0.0.1:1' }),
    what: 'redis',
    found: /ECONNREFUSED 127\.0\.0\.1:1/,
    advice: /Check ARS_REDIS_URL.*each gateway counts rate limits alone/,
  },
  {
    broken: 'the TLS key belongs to another certificate',
    env: () => ({ ARS_TLS_KEY_FILE: file('other.pem', makeCertificate(['localhost']).key) }),
    what: 'certificate',
    found: /The key in .*other\.pem does not belong to the certificate/,
    advice: /ARS_TLS_KEY_FILE/,
  },
  {
    broken: 'the TLS key has another type than the certificate',
    env: () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      return { ARS_TLS_KEY_FILE: file('rsa.pem', privateKey.export({ type: 'pkcs8', format: 'pem' })) }
    },
    what: 'certificate',
    found: /rsa\.pem does not belong to the certificate/,
    advice: /ARS_TLS_KEY_FILE/,
  },
  {
    broken: 'the certificate is not for the public address',
    env: () => ({ ARS_PUBLIC_URL: 'https://agents.example.com' }),
    what: 'certificate names',
    found: /not for agents\.example\.com, the host of ARS_PUBLIC_URL/,
    advice: /Clients refuse it/,
  },
  {
    broken: 'the public address is plain HTTP',
    env: () => ({ ARS_PUBLIC_URL: 'http://localhost:8443' }),
    what: 'public address',
    found: /ARS_PUBLIC_URL is http:\/\/localhost:8443/,
    advice: /https:\/\//,
  },
  {
    broken: 'the engine has other partitions',
    env: () => ({ ARS_ENGINE_PARTITIONS: '8' }),
    what: 'engine partitions',
    found: /the engine has 4, ARS_ENGINE_PARTITIONS is 8/,
    advice: /Set ARS_ENGINE_PARTITIONS to 4/,
  },
  {
    broken: 'the address of the ingress is closed',
    env: () => ({ ARS_ENGINE_INGRESS_URL: closed }),
    what: 'engine ingress',
    found: /ECONNREFUSED/,
    advice: /Check ARS_ENGINE_INGRESS_URL/,
  },
  {
    broken: 'the address of the ingress is that of the admin API',
    env: () => ({ ARS_ENGINE_INGRESS_URL: testEngine().adminUrl }),
    what: 'engine ingress',
    found: /\/restate\/health answered 404/,
    advice: /Check ARS_ENGINE_INGRESS_URL/,
  },
  {
    broken: 'the address of the admin API is closed',
    env: () => ({ ARS_ENGINE_ADMIN_URL: closed }),
    what: 'engine',
    found: /ECONNREFUSED/,
    advice: /Check ARS_ENGINE_ADMIN_URL/,
  },
  {
    broken: 'the metrics of the engine are not at their address',
    env: () => ({ ARS_ENGINE_METRICS_URL: closed }),
    what: 'engine partitions',
    found: /do not show its partitions/,
    advice: /ARS_ENGINE_METRICS_URL/,
  },
  {
    broken: 'the models file is missing',
    env: () => ({ ARS_MODELS_FILE: '/nowhere/models.yaml' }),
    what: 'models file',
    found: /\/nowhere\/models\.yaml cannot be read: ENOENT/,
    advice: /Correct ARS_MODELS_FILE/,
  },
  {
    broken: 'the key of a model provider is missing',
    env: () => ({
      ARS_MODELS_FILE: file(
        'models.yaml',
        'providers:\n  openai: { kind: openai, api_key_env: NOBODY_SET_THIS }\nmodels:\n  - { model: openai/* }\n',
      ),
    }),
    what: 'models file',
    found: /the environment variable NOBODY_SET_THIS is not set/,
    advice: /Correct ARS_MODELS_FILE/,
  },
  {
    broken: 'the catalog folder is missing',
    env: () => ({ ARS_CATALOG_FOLDER: '/nowhere/catalog' }),
    what: 'catalog folder',
    found: /\/nowhere\/catalog/,
    advice: /Correct ARS_CATALOG_FOLDER/,
  },
  {
    broken: 'the pools are larger than the server',
    env: () => ({ ARS_DATABASE_POOL_SIZE: '200' }),
    what: 'connections',
    found: /a gateway opens up to 207, a worker up to 213/,
    advice: /Set max_connections to more than 420/,
  },
  {
    broken: 'Postgres is away',
    env: () => ({
      ARS_DATABASE_URL: 'postgres://ars_app@127.0.0.1:1/ars',
      ARS_DATABASE_AUTH_URL: 'postgres://ars_auth@127.0.0.1:1/ars',
      ARS_DATABASE_FEED_URL: 'postgres://ars_feed@127.0.0.1:1/ars',
      ARS_DATABASE_SYSTEM_URL: 'postgres://ars_system@127.0.0.1:1/ars',
    }),
    what: 'role ars_app',
    found: /ECONNREFUSED 127\.0\.0\.1:1/,
    advice: /Check ARS_DATABASE_URL/,
  },
]

test.for(rows)('doctor says what is wrong and what to do when $broken', async ({ env, what, found, advice }) => {
  const findings = await examine({ ...app.env, ...env() })
  expect(failed(findings)).toContainEqual({
    what,
    found: expect.stringMatching(found),
    advice: expect.stringMatching(advice),
  })
})

test('no check is missing from the result when components are away', async () => {
  const whole = namesOf(await examine(app.env))
  const away = Object.assign({}, ...rows.map(({ env }) => env()))
  expect(namesOf(await examine({ ...app.env, ...away, ARS_TLS_KEY_FILE: app.env.ARS_TLS_KEY_FILE }))).toEqual(whole)
})

test('ars-server prints its version, and the findings of doctor as JSON', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const env = { PATH: process.env.PATH, ...app.env, ARS_REDIS_URL: 'redis://127.0.0.1:1' }
  const call = promisify(execFile)
  expect((await call(process.execPath, [main, '--version'])).stdout).toBe(`${version}\n`)
  const answer = await call(process.execPath, [main, 'doctor', '--json'], { env }).catch((error: unknown) => error)
  expect(answer).toMatchObject({ code: 1, stderr: '' })
  const { checks, ...rest } = JSON.parse((answer as { stdout: string }).stdout)
  expect(rest).toEqual({ version, ok: false })
  expect(checks).toContainEqual({
    check: 'redis',
    state: 'failed',
    found: expect.stringContaining('ECONNREFUSED'),
    advice: expect.stringContaining('ARS_REDIS_URL'),
  })
  expect(checks).toContainEqual({
    check: 'role ars_app',
    state: 'ok',
    found: 'restricted by row-level security',
    advice: null,
  })
})

const onDatabase = (urls: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(
    ['URL', 'AUTH_URL', 'FEED_URL', 'SYSTEM_URL'].map((setting) => {
      const url = new URL(urls[`ARS_DATABASE_${setting}`] ?? '')
      url.pathname = `/${name}`
      return [`ARS_DATABASE_${setting}`, url.href]
    }),
  )

test('doctor says once that a database is not migrated', async () => {
  const name = `ars_test_${randomBytes(6).toString('hex')}`
  const asSuperuser = (statement: string) =>
    asClient(app.database.superuserUrl, async (client) => void (await client.query(statement)))
  await asSuperuser(`create database ${name} owner ars_owner`)
  onTestFinished(() => asSuperuser(`drop database ${name} with (force)`))
  const findings = await examine({ ...app.env, ...onDatabase(app.env, name) })
  expect(failed(findings)).toEqual([
    { what: 'migrations', found: 'the database is empty', advice: 'Run `ars-server migrate` as the owner.' },
  ])
})

test('doctor names every login that leads to a read-only server', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await asClient(database.superuserUrl, async (client) => {
    await client.query(`alter database ${database.name} set default_transaction_read_only = on`)
  })
  const findings = await examine({ ...app.env, ...onDatabase(app.env, database.name) })
  expect(failed(findings).map(({ found }) => found)).toEqual(
    ['URL', 'AUTH_URL', 'FEED_URL', 'SYSTEM_URL'].map(
      (setting) => `ARS_DATABASE_${setting} leads to a read-only server, so every write fails`,
    ),
  )
})

test('doctor warns before the disk of the database is full', () => {
  const gib = 1024 ** 3
  expect(judgeDisk(gib, { freeBytes: 30 * gib, allBytes: 100 * gib })).toEqual({
    what: 'disk',
    found: 'the database has 1.0 GiB, 30.0 GiB are free',
  })
  expect(judgeDisk(gib, { freeBytes: 9 * gib, allBytes: 100 * gib }).advice).toContain('A full disk stops Postgres')
  expect(judgeDisk(gib, { freeBytes: gib, allBytes: 4 * gib }).advice).toContain('Enlarge the disk')
  expect(judgeDisk(gib, null).advice).toBe(undefined)
})

test('doctor and the log of the worker say that the key of the engine is not accepted', async () => {
  const gateway = await startApp({ role: 'gateway' })
  onTestFinished(() => gateway.stop())
  // Registered with the right key, then replaced by a worker with the key of another engine.
  await (await gateway.join('worker')).stop()
  const oldKey = 'publickeyv1_DqrXatEpNV1LN8QP818BKH4NTQqUi32Rq3puiT9DD4ic'
  const worker = gateway.join('worker', { ARS_ENGINE_IDENTITY_KEY: oldKey })
  const findings = await until('the worker to listen', async () => {
    const found = await examine(gateway.env)
    return failed(found).some(({ advice }) => advice?.includes('401')) && found
  })
  expect(failed(findings)).toEqual([
    {
      what: 'worker',
      found: 'does not respond through the engine',
      advice: expect.stringContaining('The worker refuses the signature of the engine (401)'),
    },
  ])
  const refusals = gateway.logLines.filter((line) => line.includes('no key of ARS_ENGINE_IDENTITY_KEY has signed it'))
  expect(refusals).toHaveLength(1)
  await (await worker).stop()
})

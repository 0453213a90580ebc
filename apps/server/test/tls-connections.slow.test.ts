import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'
import { type Certificate, makeCertificate } from '@ars/platform/egress/test/certificate'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBinary } from '../../../tools/dev/parts/binary.ts'
import { freePort } from './app.ts'
import { arsServer } from './ars-server.slow.ts'

/*
 * Postgres and Redis with the certificate of a private authority. TLS of Postgres is switched on while it runs, which only
 * concerns clients that ask for it.
 */

const folder = mkdtempSync(join(tmpdir(), 'tls-parts-'))
const write = (name: string, { cert, key }: Certificate): { certFile: string; keyFile: string } => {
  const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}
const right = write('right', makeCertificate(['localhost']))
const other = write('other', makeCertificate(['localhost']))

let database: TestDatabase
let redisPort: number
let redis: ReturnType<typeof spawn>

const asSuperuser = (...statements: string[]) =>
  asClient(database.superuserUrl, async (client) => {
    for (const each of statements) await client.query(each)
    return (await client.query(`select current_setting('data_directory') as folder`)).rows[0].folder as string
  })

beforeAll(async () => {
  database = await createTestDatabase()
  const { uid, gid } = statSync(await asSuperuser('select 1'))
  for (const path of [folder, right.keyFile, right.certFile]) if (process.getuid?.() === 0) chownSync(path, uid, gid)
  await asSuperuser(
    `alter system set ssl_cert_file = '${right.certFile}'`,
    `alter system set ssl_key_file = '${right.keyFile}'`,
    'alter system set ssl = on',
    'select pg_reload_conf()',
  )
  redisPort = await freePort()
  redis = spawn(findBinary(['redis-server', 'valkey-server']) ?? 'redis-server', [
    ...['--port', '0', '--tls-port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    ...['--tls-cert-file', right.certFile, '--tls-key-file', right.keyFile, '--tls-auth-clients', 'no'],
    ...['--requirepass', 'secret'],
  ])
})
afterAll(async () => {
  const ended = new Promise((resolve) => redis.once('exit', resolve))
  redis.kill('SIGKILL')
  await ended
  await asSuperuser(
    'alter system reset ssl',
    'alter system reset ssl_cert_file',
    'alter system reset ssl_key_file',
    'select pg_reload_conf()',
  )
  await database.drop()
  rmSync(folder, { recursive: true })
})

const readTls = statement<Record<string, never>, { ssl: boolean }>(
  'test.tls',
  sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`,
)

const connect = async (host: string, parameters: string): Promise<boolean> => {
  const url = new URL(database.appUrl)
  url.hostname = host
  url.search = parameters
  const log = createLog({ level: 'silent' })
  const opened = openDatabase({ url: url.href, name: 'tls', size: 1, acquireTimeoutMs: 30_000, log })
  try {
    return (await opened.once(null, readTls({})))[0]?.ssl === true
  } finally {
    await opened.close()
  }
}

test('Postgres is reached with TLS under a private authority', async () => {
  const verified = `sslmode=verify-full&sslrootcert=${right.certFile}`
  await expect.poll(() => connect('localhost', verified).catch(() => false)).toBe(true)
})

test.for([
  ['the authority is not named', 'localhost', 'sslmode=verify-full'],
  ['another authority is named', 'localhost', `sslmode=verify-full&sslrootcert=${other.certFile}`],
  ['the host is not in the certificate', '127.0.0.1', `sslmode=verify-full&sslrootcert=${right.certFile}`],
] as const)('a connection to Postgres is refused if %s', async ([, host, parameters]) => {
  await expect(connect(host, parameters)).rejects.toThrow('No connection from pool tls')
})

/** What `ars-server doctor` finds about Redis, as a process with this environment. */
const findRedis = async (environment: Record<string, string>): Promise<{ state: string; found: string }> => {
  const { tls } = stackFacts()
  const env = {
    ARS_DATABASE_URL: database.appUrl,
    ARS_DATABASE_AUTH_URL: database.authUrl,
    ARS_DATABASE_FEED_URL: database.feedUrl,
    ARS_ENGINE_INGRESS_URL: 'http://127.0.0.1:1',
    ARS_ENGINE_ADMIN_URL: 'http://127.0.0.1:1',
    ARS_TLS_CERT_FILE: tls.certFile,
    ARS_TLS_KEY_FILE: tls.keyFile,
    ARS_REDIS_URL: `rediss://:secret@localhost:${redisPort}`,
    ...environment,
  }
  const { stdout } = await arsServer(['doctor', '--json'], env)
  return JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'redis')
}

test('Redis is reached with TLS under a private authority that NODE_EXTRA_CA_CERTS names, and not without it', async () => {
  expect(await findRedis({ NODE_EXTRA_CA_CERTS: right.certFile })).toMatchObject({ state: 'ok' })
  expect(await findRedis({})).toMatchObject({
    state: 'failed',
    found: expect.stringMatching(/self-signed certificate/),
  })
})

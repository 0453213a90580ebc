import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { ConfigError, fileVariableName, parseConfig, variableName } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { createShutdown } from '@ars/platform/shutdown'
import { afterAll, expect, test } from 'vitest'
import type { Role } from '../src/parts.ts'
import { start } from '../src/serve.ts'
import { explainStart } from '../src/start-fault.ts'
import { freePort, startApp } from './app.ts'

const folder = mkdtempSync(join(tmpdir(), 'ars-settings-'))
const nothing = join(folder, 'nothing')
const text = join(folder, 'text')
writeFileSync(text, 'plain words\n', { mode: 0o600 })
afterAll(() => rmSync(folder, { recursive: true }))

const required = {
  ARS_DATABASE_URL: 'postgres://a@localhost/b',
  ARS_DATABASE_AUTH_URL: 'postgres://a@localhost/b',
  ARS_DATABASE_FEED_URL: 'postgres://a@localhost/b',
  ARS_REDIS_URL: 'redis://localhost',
  ARS_ENGINE_INGRESS_URL: 'http://localhost:8080',
  ARS_ENGINE_ADMIN_URL: 'http://localhost:9070',
}

/** Values that are refused before anything starts. */
type Refused = { parse: readonly string[] }
/** Values whose fault only the start can see, and the role that uses them. */
type Failing = { start: readonly string[]; role: Role; with?: Readonly<Record<string, string>> }
const number: Refused = { parse: ['many', '-1', '1.5', '1e99'] }
const address: Refused = { parse: ['nonsense', 'ftp://example.com', '://'] }
const choice: Refused = { parse: ['nonsense'] }
const file = (role: Role = 'gateway'): Failing => ({ start: [nothing, folder, text], role })
// Addresses of 192.0.2.0/24 belong to nobody, names below .invalid have no address.
const host = (role: Role): Failing => ({ start: ['192.0.2.1', 'nowhere.invalid'], role })

/** Every setting. `null`: no text is wrong. */
const wrong: Record<keyof Config, Refused | Failing | null> = {
  databaseUrl: address,
  databaseAuthUrl: address,
  databaseFeedUrl: address,
  databaseSystemUrl: address,
  databaseOwnerUrl: address,
  databaseBackupUrl: address,
  databasePoolSize: number,
  databaseAcquireTimeoutMs: number,
  redisUrl: address,
  engineIngressUrl: address,
  engineAdminUrl: address,
  engineMetricsUrl: address,
  engineIdentityKey: choice,
  enginePartitions: number,
  httpHost: host('gateway'),
  httpPort: number,
  publicUrl: address,
  cookieOrigins: address,
  tlsCertFile: file(),
  tlsKeyFile: file(),
  plainHttpPort: number,
  plainHttpKey: choice,
  // A folder that does not exist: no dashboard.
  dashboardDir: { start: [text], role: 'gateway' },
  docsDir: { start: [text], role: 'gateway' },
  trustedProxies: { start: ['nonsense', '10.0.0.0/99'], role: 'gateway' },
  securityContacts: address,
  securityPolicyUrl: address,
  unauthorizedPerMinute: number,
  organisationRequestsPerMinute: number,
  connectionsMax: number,
  connectionsPerAddress: number,
  headersTimeoutMs: number,
  requestTimeoutMs: number,
  requestBytesMax: number,
  responseBytesMax: number,
  historyBytesMax: number,
  transferGraceMs: number,
  transferBytesPerSecond: number,
  workerHost: host('worker'),
  workerPort: number,
  workerUrl: address,
  metricsHost: host('gateway'),
  metricsPort: number,
  egressAllowRanges: { start: ['nonsense', '10.0.0.0/99'], role: 'gateway' },
  egressAllowPorts: { start: ['nonsense', '0', '70000'], role: 'gateway' },
  egressCaFile: file(),
  egressAllowPlainHttp: choice,
  kekFile: file(),
  keks: { start: ['nonsense'], role: 'gateway' },
  modelsFile: file(),
  sessionTokens: choice,
  simulatedModels: choice,
  catalogFolder: { start: [nothing, text], role: 'gateway' },
  catalogModel: { start: ['nonsense'], role: 'gateway' },
  cellSlots: number,
  webhookPlaces: number,
  deliveryAttempts: number,
  webhooksPerOrganisation: number,
  cancelGraceMs: number,
  storageGibFree: number,
  storageGibDeveloper: number,
  storageGibBusiness: number,
  storageGibEnterprise: number,
  retentionDays: number,
  deltaRetentionHours: number,
  otlpEndpoint: { parse: [...address.parse, 'http://user@collector.example', 'http://collector.example?key=1'] },
  otlpHeaders: { parse: ['nonsense', 'authorization=%zz'] },
  traceSampleRatio: { parse: ['many', '-1', '1.5'] },
  mailFrom: { parse: ['nonsense', 'a@b, c@d', 'Name <a@b> x'] },
  smtpUrl: { parse: [...address.parse, 'smtp://host/path', 'smtp://host?tls.rejectUnauthorized=false'] },
  smtpTls: choice,
  smtpCaFile: { ...file('worker'), with: { ARS_MAIL_FROM: 'a@b', ARS_SMTP_URL: 'smtp://localhost' } },
  logLevel: choice,
  drainDelayMs: number,
  relayAfterMs: number,
  reconcileAfterMs: number,
  testStack: choice,
  // Written by a test stack only, when it executes a step.
  testLedgerFile: null,
}
const rows = Object.entries(wrong)

const faultOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

/** One sentence for each fault, with the name of the setting or of the file. */
const expectSentence = (error: unknown, variable: string, file = variable): void => {
  expect(error, variable).toBeInstanceOf(ConfigError)
  const sentences = (error as ConfigError).message.split('\n')
  expect(sentences.filter((each) => !each.includes(variable) && !each.includes(file))).toEqual([])
}

test('the table has every setting', () => {
  expect(Object.keys(wrong).sort()).toEqual(Object.keys(Config.shape).sort())
})

test('a wrong number, address or choice is refused with a sentence that names the setting and not its value', () => {
  for (const [field, row] of rows) {
    if (!row || 'start' in row) continue
    for (const value of row.parse) {
      const error = faultOf(() => parseConfig(Config, { ...required, [variableName(field)]: value }))
      expectSentence(error, variableName(field))
      if (value.length > 3) expect((error as Error).message).not.toContain(value)
    }
  }
})

test('a wrong file, folder or address to listen on ends the start with a sentence that names the setting', async () => {
  const app = await startApp({ role: 'gateway' })
  const log = createLog({ level: 'silent' })
  for (const [field, row] of rows) {
    if (!row || 'parse' in row) continue
    for (const value of row.start) {
      const env: NodeJS.ProcessEnv = {
        ...app.env,
        ARS_HTTP_PORT: String(await freePort()),
        ARS_METRICS_PORT: String(await freePort()),
        ARS_TEST_STACK: 'true',
        ...row.with,
        [variableName(field)]: value,
      }
      const config = parseConfig(Config, env)
      const shutdown = createShutdown(log)
      const outcome = await start({ role: row.role, config, environment: env, log, shutdown }).catch((error) => error)
      await shutdown.run('test')
      expectSentence(explainStart(outcome, config), variableName(field), value)
    }
  }
  await app.stop()
})

const textOf: Readonly<Record<string, string>> = {
  redisUrl: 'redis://:secret@localhost',
  otlpHeaders: 'authorization=secret',
  smtpUrl: 'smtp://ars:secret@localhost',
}

const parsedOf: Readonly<Record<string, unknown>> = {
  otlpHeaders: { authorization: 'secret' },
  smtpUrl: { host: 'localhost', port: 587, isTlsFromStart: false, login: { user: 'ars', password: 'secret' } },
}

test('every secret can be read from a file, and a wrong file is named', () => {
  const secrets = Object.keys(Config.shape).filter((field) => fileVariableName(Config, field))
  expect(secrets).toEqual([
    'databaseUrl',
    'databaseAuthUrl',
    'databaseFeedUrl',
    'databaseSystemUrl',
    'databaseOwnerUrl',
    'databaseBackupUrl',
    'redisUrl',
    'otlpHeaders',
    'smtpUrl',
  ])
  const [good, empty] = [join(folder, 'good'), join(folder, 'empty')]
  writeFileSync(empty, '\n')
  for (const field of secrets) {
    const [name, fileName] = [variableName(field), `${variableName(field)}_FILE`]
    const value = textOf[field] ?? 'postgres://a:secret@localhost/b'
    writeFileSync(good, `${value}\n`)
    const others = Object.fromEntries(Object.entries(required).filter(([other]) => other !== name))
    expect(parseConfig(Config, { ...others, [fileName]: good })).toMatchObject({
      [field]: parsedOf[field] ?? value,
    })
    for (const bad of [nothing, folder, empty])
      expectSentence(
        faultOf(() => parseConfig(Config, { ...others, [fileName]: bad })),
        fileName,
      )
    expectSentence(
      faultOf(() => parseConfig(Config, { ...others, [name]: value, [fileName]: good })),
      `Set either ${name} or ${fileName}, not both`,
    )
  }
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@ars/core/config'
import { ConfigError } from '@ars/platform/config'
import { expect } from 'vitest'
import type { Role } from '../src/parts.ts'

export const folder = mkdtempSync(join(tmpdir(), 'ars-settings-'))
export const nothing = join(folder, 'nothing')
const text = join(folder, 'text')
writeFileSync(text, 'plain words\n', { mode: 0o600 })
export const removeFolder = (): void => rmSync(folder, { recursive: true })

/** Values that are refused before anything starts. */
type Refused = { parse: readonly string[] }
/** Values whose fault only the start can see, and the role that uses them. */
type Failing = { start: readonly string[]; role: Role; with?: Readonly<Record<string, string>> }
const number: Refused = { parse: ['many', '-1', '1.5', '1e99'] }
const address: Refused = { parse: ['nonsense', 'ftp://example.com', '://'] }
const choice: Refused = { parse: ['nonsense'] }
const collector: Refused = {
  parse: [...address.parse, 'http://user@collector.example', 'http://collector.example?key=1'],
}
const collected = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
const pairs: Refused = { parse: ['nonsense', 'authorization=%zz'] }
const file = (role: Role = 'gateway'): Failing => ({ start: [nothing, folder, text], role })
// Addresses of 192.0.2.0/24 belong to nobody, names below .invalid have no address.
const host = (role: Role): Failing => ({ start: ['192.0.2.1', 'nowhere.invalid'], role })

/** Every setting. `null`: no text is wrong. */
export const wrongSettings: Record<keyof Config, Refused | Failing | null> = {
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
  backups: choice,
  modelKeysFromEnvironment: choice,
  localModelUrl: { parse: [...address.parse, 'http://user@127.0.0.1/v1', 'http://127.0.0.1/v1?key=1'] },
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
  storageGibNone: number,
  // Read by admin commands only.
  plansFile: null,
  storageGibEnterprise: number,
  retentionDays: number,
  deltaRetentionHours: number,
  otelExporterOtlpEndpoint: collector,
  otelExporterOtlpTracesEndpoint: collector,
  otelExporterOtlpHeaders: pairs,
  otelExporterOtlpTracesHeaders: pairs,
  otelExporterOtlpProtocol: { start: ['grpc'], role: 'gateway', with: collected },
  otelExporterOtlpTracesProtocol: { start: ['grpc'], role: 'gateway', with: collected },
  otelTracesExporter: choice,
  otelTracesSampler: choice,
  otelTracesSamplerArg: { parse: ['many', '-1', '1.5'] },
  otelServiceName: { parse: ['x'.repeat(256)] },
  otelResourceAttributes: pairs,
  otelSdkDisabled: choice,
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

/** One sentence for each fault, with the name of the setting or of the file. */
export const expectSentence = (error: unknown, variable: string, file = variable): void => {
  expect(error, variable).toBeInstanceOf(ConfigError)
  const sentences = (error as ConfigError).message.split('\n')
  expect(sentences.filter((each) => !each.includes(variable) && !each.includes(file))).toEqual([])
}

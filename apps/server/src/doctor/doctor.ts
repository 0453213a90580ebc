import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { createLog } from '@ars/platform/log/log'
import { databaseLoginsOf } from '../database-logins.ts'
import { checkExposure } from '../exposure.ts'
import { openGatewayParts, openParts } from '../parts.ts'
import { version } from '../version.ts'
import { checkBackups } from './backups.ts'
import { checkCertificate } from './certificate.ts'
import { checkDatabases } from './databases.ts'
import { checkEngine } from './engine.ts'
import { checkEngineSettings } from './engine-settings.ts'
import { checkCatalogFolder, checkKeys, checkModels, checkPlans } from './files.ts'
import type { Finding } from './finding.ts'
import { checkMail } from './mail.ts'
import { checkPublicAddress } from './public-address.ts'
import { checkRedis } from './redis.ts'
import { checkRefusals } from './refusals.ts'
import { sendTestAlert } from './test-alert.ts'

type Options = { json: boolean; alertmanager?: string | undefined }

/** `ars-server doctor`: checks each component, prints advice, and exits 1 if a check failed. */
export const doctor = async (env: NodeJS.ProcessEnv, { json, alertmanager }: Options): Promise<number> => {
  const findings = await examine(env, alertmanager)
  process.stdout.write(json ? jsonOf(findings) : textOf(findings))
  return failuresIn(findings) === 0 ? 0 : 1
}

/** Every check appears in the result, also if it could not be made. */
export const examine = async (env: NodeJS.ProcessEnv, alertmanager?: string): Promise<Finding[]> => {
  const config = parseConfig(Config, env)
  const opening = { config, environment: env, log: createLog({ level: 'silent' }) }
  const worker = databaseLoginsOf(config).system === undefined ? undefined : await openParts(opening)
  const parts = worker ?? (await openGatewayParts(opening))
  try {
    const findings = await Promise.all([
      checkDatabases(parts, worker),
      worker ? checkBackups(worker) : [],
      checkRefusals(config),
      checkRedis(parts),
      checkEngine(parts),
      checkEngineSettings(config, parts.clock),
      checkCertificate(config, parts.clock.now()),
      checkModels(config, env, worker === undefined ? 'gateway' : 'worker'),
      checkCatalogFolder(config, env),
      checkPlans(parts, worker),
      worker ? checkKeys(worker) : [],
      worker ? checkMail(worker) : [],
      checkExposure(config),
      checkPublicAddress(config),
      alertmanager === undefined ? [] : sendTestAlert(alertmanager),
    ])
    return findings.flat()
  } finally {
    await parts.close()
  }
}

const failuresIn = (findings: readonly Finding[]): number =>
  findings.filter(({ advice }) => advice !== undefined).length

const stateOf = ({ advice, isSkipped }: Finding): 'ok' | 'failed' | 'skipped' => {
  if (advice !== undefined) return 'failed'
  return isSkipped ? 'skipped' : 'ok'
}

const marks = { ok: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const

const textOf = (findings: readonly Finding[]): string => {
  const lines = findings.flatMap((finding) => [
    `${marks[stateOf(finding)]}  ${finding.what.padEnd(20)} ${finding.found}\n`,
    ...(finding.advice === undefined ? [] : [`      → ${finding.advice}\n`]),
  ])
  const failed = failuresIn(findings)
  return `${lines.join('')}${failed === 0 ? 'All checks passed.' : `${failed} of ${findings.length} checks failed.`}\n`
}

const jsonOf = (findings: readonly Finding[]): string =>
  `${JSON.stringify({
    version,
    ok: failuresIn(findings) === 0,
    checks: findings.map((finding) => ({
      check: finding.what,
      state: stateOf(finding),
      found: finding.found,
      advice: finding.advice ?? null,
    })),
  })}\n`

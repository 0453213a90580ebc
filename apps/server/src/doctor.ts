import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayParts, Parts } from '@ars/core'
import { Config } from '@ars/core/config'
import { engineProbeTarget } from '@ars/core/runs'
import { checkKeks } from '@ars/core/secrets'
import { parseConfig } from '@ars/platform/config'
import type { Database } from '@ars/platform/db/database'
import { listMigrations, missingMigrations } from '@ars/platform/db/migrate'
import { type DatabaseFacts, readDatabaseFacts } from '@ars/platform/db/readiness'
import { createLog } from '@ars/platform/log/log'
import { checkEngineLimit } from './engine-limit.ts'
import { checkExposure, type Finding } from './exposure.ts'
import { readCertificate } from './gateway/listen/certificate.ts'
import { migrationsDir } from './migrate.ts'
import { openGatewayParts, openParts } from './parts.ts'
import { maxClockOffMs } from './readiness.ts'

const partitionDaysLeast = 3
const certificateDaysLeast = 14
const maxWorkerAnswerMs = 5_000
const dayMs = 86_400_000
// A statement locks all partitions of its tables, and most read up to four partitioned tables.
const tablesPerStatement = 4

/** `ars-server doctor`: checks each component, prints advice, and exits 1 if a check failed. */
export const doctor = async (env: NodeJS.ProcessEnv): Promise<number> => {
  const config = parseConfig(Config, env)
  const opening = { config, environment: env, log: createLog({ level: 'silent' }) }
  const worker = config.databaseSystemUrl === undefined ? undefined : await openParts(opening)
  const parts = worker ?? (await openGatewayParts(opening))
  try {
    const findings = (
      await Promise.all([
        checkRole(parts.app, 'ars_app', 'ARS_DATABASE_URL'),
        checkRole(parts.auth, 'ars_auth', 'ARS_DATABASE_AUTH_URL'),
        checkRole(parts.feedReads, 'ars_feed', 'ARS_DATABASE_FEED_URL'),
        worker ? checkRole(worker.system, 'ars_system', 'ARS_DATABASE_SYSTEM_URL') : onlyGateway,
        checkDatabase(parts),
        checkRedis(parts),
        checkEngine(parts),
        checkEngineLimit(config, parts.clock),
        checkCertificate(config, parts.clock.now()),
        worker ? checkKeys(worker) : [],
        checkExposure(config),
      ])
    ).flat()
    for (const { what, found, advice } of findings) {
      process.stdout.write(`${advice === undefined ? 'ok  ' : 'FAIL'}  ${what.padEnd(20)} ${found}\n`)
      if (advice !== undefined) process.stdout.write(`      → ${advice}\n`)
    }
    const wrong = findings.filter(({ advice }) => advice !== undefined).length
    process.stdout.write(wrong === 0 ? 'All checks passed.\n' : `${wrong} of ${findings.length} checks failed.\n`)
    return wrong === 0 ? 0 : 1
  } finally {
    await parts.close()
  }
}

const onlyGateway: Finding[] = [
  { what: 'role ars_system', found: 'not configured: this environment can run gateways, but no worker' },
]

const checkRole = async (database: Database, role: string, variable: string): Promise<Finding[]> => {
  const what = `role ${role}`
  const facts = await readDatabaseFacts(database).catch((error: unknown) => describe(error))
  if (typeof facts === 'string') {
    return [
      {
        what,
        found: facts,
        advice: `Check ${variable}. Postgres must be up, db/roles.sql and \`ars-server migrate\` must have run, and the password must match.`,
      },
    ]
  }
  const fault = faultOfRole(facts, role)
  if (fault === undefined && facts.usesJit)
    return [
      {
        what,
        found: 'uses just-in-time compilation (jit = on), which makes short statements take seconds',
        advice: 'Run db/roles.sql again; it sets jit = off for the roles. Then restart the processes.',
      },
    ]
  if (fault === undefined) return [{ what, found: 'restricted by row-level security' }]
  return [
    {
      what,
      found: `the role behind ${variable} ${fault}`,
      advice: `Set ${variable} to log in as ${role}, which db/roles.sql creates.`,
    },
  ]
}

const faultOfRole = (facts: DatabaseFacts, role: string): string | undefined => {
  if (facts.isSuperuser) return 'is a superuser'
  // A second login with a new password is a member of the role.
  if (facts.roles.join() !== role) return `is ${facts.user}`
  return facts.bypassesRowSecurity ? 'bypasses row-level security' : undefined
}

const checkDatabase = async (parts: GatewayParts): Promise<Finding[]> => {
  const facts = await readDatabaseFacts(parts.feedReads).catch(() => null)
  // The checks of the roles already report why the database cannot be reached.
  if (!facts) return []
  return [
    await checkMigrations(facts),
    checkVersion(facts),
    checkPartitions(facts),
    checkLocks(facts),
    checkClock(facts, parts),
  ]
}

const checkVersion = ({ version }: DatabaseFacts): Finding => ({
  what: 'postgres',
  found: version,
  ...(Number.parseInt(version, 10) >= 15 ? {} : { advice: 'Upgrade to Postgres 15 or newer.' }),
})

const checkMigrations = async ({ migrations }: DatabaseFacts): Promise<Finding> => {
  const missing = missingMigrations(migrations, await listMigrations(migrationsDir))
  return missing.length === 0
    ? { what: 'migrations', found: `${migrations.length} applied, none missing` }
    : { what: 'migrations', found: `missing: ${missing.join(', ')}`, advice: 'Run `ars-server migrate` as the owner.' }
}

const checkPartitions = ({ partitionedUntil, now }: DatabaseFacts): Finding => {
  const needed = new Date(now.getTime() + partitionDaysLeast * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
  return partitionedUntil !== null && partitionedUntil >= needed
    ? { what: 'partitions', found: `created until ${partitionedUntil}` }
    : {
        what: 'partitions',
        found: partitionedUntil === null ? 'none for today' : `only until ${partitionedUntil}`,
        advice: 'Start a worker, which creates partitions 14 days ahead, or run `ars-server admin partitions`.',
      }
}

const checkLocks = ({ maxPartitions, maxLocksPerTransaction }: DatabaseFacts): Finding => {
  const needed = maxPartitions * tablesPerStatement
  const found = `max_locks_per_transaction is ${maxLocksPerTransaction}, for up to ${maxPartitions} partitions of a table`
  return maxLocksPerTransaction >= needed
    ? { what: 'locks', found }
    : { what: 'locks', found, advice: `Set max_locks_per_transaction to ${needed} or more and restart Postgres.` }
}

const checkClock = ({ now, hasTestClock }: DatabaseFacts, { clock, config }: GatewayParts): Finding => {
  if (hasTestClock && !config.testStack) {
    return {
      what: 'clock',
      found: 'the database has a test clock',
      advice: 'Do not serve customers from a test database.',
    }
  }
  const offMs = Math.abs(now.getTime() - clock.now().getTime())
  return offMs <= maxClockOffMs || hasTestClock
    ? { what: 'clock', found: hasTestClock ? 'moved by a test' : `${offMs} ms from the database clock` }
    : {
        what: 'clock',
        found: `${offMs} ms from the database clock`,
        advice: 'Synchronise both clocks with NTP: ids contain their time.',
      }
}

const checkRedis = async ({ pubSub }: GatewayParts): Promise<Finding[]> => {
  const found = await pubSub.version().catch((error: unknown) => ({ fault: describe(error) }))
  if (typeof found === 'string') return [{ what: 'redis', found }]
  return [
    {
      what: 'redis',
      found: found.fault,
      advice: 'Check ARS_REDIS_URL. Runs continue without Redis, but waits take up to 1 s longer.',
    },
  ]
}

const checkEngine = async (parts: GatewayParts): Promise<Finding[]> => {
  const { engine, config } = parts
  const version = await engine.version().catch((error: unknown) => ({ fault: describe(error) }))
  if (typeof version !== 'string') {
    return [
      {
        what: 'engine',
        found: version.fault,
        advice: 'Check ARS_ENGINE_ADMIN_URL and start Restate. Runs wait until the engine is up.',
      },
    ]
  }
  const rows = await engine
    .query<{ name: string; endpoint: string }>(
      'select s.name, d.endpoint from sys_service s join sys_deployment d on d.id = s.deployment_id',
    )
    .catch(() => [])
  const run = rows.find(({ name }) => name === 'Run')
  return [
    { what: 'engine', found: `Restate ${version}` },
    run
      ? { what: 'engine registration', found: `workers at ${run.endpoint}` }
      : {
          what: 'engine registration',
          found: 'no worker is registered',
          advice: `Start a worker. It registers ${config.workerUrl}, which the engine must be able to reach.`,
        },
    ...(run ? [await checkWorker(parts)] : []),
  ]
}

/** A round trip through the engine to a worker. */
const checkWorker = async ({ engine, clock }: GatewayParts): Promise<Finding> => {
  const beganMs = clock.monotonicMs()
  const answered = await Promise.race([
    engine.call({ ...engineProbeTarget, object: 'doctor' }, { at: clock.now().toISOString() }).then(
      () => true,
      () => false,
    ),
    sleep(maxWorkerAnswerMs, false, { ref: false }),
  ])
  return answered
    ? { what: 'worker', found: `responds through the engine in ${Math.round(clock.monotonicMs() - beganMs)} ms` }
    : {
        what: 'worker',
        found: 'does not respond through the engine',
        advice: 'Start a worker, and check that the engine can reach its address.',
      }
}

const checkCertificate = (config: Config, now: Date): Finding[] => {
  const what = 'certificate'
  try {
    const { validTo } = readCertificate({ certFile: config.tlsCertFile, keyFile: config.tlsKeyFile })
    const days = Math.floor((validTo.getTime() - now.getTime()) / dayMs)
    return days >= certificateDaysLeast
      ? [{ what, found: `valid for ${days} days` }]
      : [
          {
            what,
            found: `valid for ${days} days`,
            advice: 'Renew it. Gateways use the new files within seconds, without a restart.',
          },
        ]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Check ARS_TLS_CERT_FILE and ARS_TLS_KEY_FILE.' }]
  }
}

/** Checks that every key that wraps a data key of an organisation is available. */
const checkKeys = async ({ system, keyring }: Parts): Promise<Finding[]> => {
  const what = 'key-encryption keys'
  const checks = await checkKeks({ system, keyring }).catch(() => null)
  // The check of the role already reports why the database cannot be reached.
  if (!checks) return []
  if (checks.length === 0) return [{ what, found: 'none, so no credentials are stored' }]
  return checks.map(({ kekId, organisations, fault }) => {
    const found = `${kekId}${kekId === keyring?.activeKekId ? ', active' : ''}: ${organisations} organisations`
    return fault === null
      ? { what, found: `${found}, available` }
      : {
          what,
          found: `${found}; ${fault}`,
          advice: `Check ARS_KEK_FILE or ARS_KEKS. Data keys wrapped with ${kekId} cannot be decrypted without it.`,
        }
  })
}

const describe = (error: unknown): string => {
  const causes: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) causes.push(at.message || at.name)
  return causes.join(': ')
}

import { unavailableReasons } from '@ars/contract'
import type { GatewayParts, Parts } from '@ars/core'
import type { Config } from '@ars/core/config'
import type { Database } from '@ars/platform/db/database'
import { completeUrl } from '@ars/platform/db/logins'
import { findPoolerKind } from '@ars/platform/db/pooler'
import { readBlockers, readDayBytes, readServerFacts, type ServerFacts } from '@ars/platform/db/readiness'
import type { WhyUnavailable } from '@ars/platform/db/unavailable'
import { type DatabaseMode, databaseLoginsOf } from '../database-logins.ts'
import { describe, type Finding, skipped } from './finding.ts'
import { checkSchema, schemaChecks } from './schema.ts'
import { checkServer, serverChecks } from './server.ts'

/** All that is asked of Postgres: the way to it, each login, the server, and the schema. */
export const checkDatabases = async (parts: GatewayParts, worker: Parts | undefined): Promise<Finding[]> => {
  const { mode } = databaseLoginsOf(parts.config)
  const addresses = modes[mode](worker !== undefined)
  const pooler = await checkPooler(parts.config)
  if (pooler.advice !== undefined) return [addresses, pooler, ...skipAll('the connection pooler cannot be used')]
  const writes = [await checkWrites(parts), await checkBlockers(parts)]
  const logins = await Promise.all([
    checkRole(parts.app, { role: 'ars_app', variable: 'ARS_DATABASE_URL', mode }),
    checkRole(parts.auth, { role: 'ars_auth', variable: 'ARS_DATABASE_AUTH_URL', mode }),
    checkRole(parts.feedReads, { role: 'ars_feed', variable: 'ARS_DATABASE_FEED_URL', mode }),
    ...(worker ? [checkRole(worker.system, { role: 'ars_system', variable: 'ARS_DATABASE_SYSTEM_URL', mode })] : []),
  ])
  const roles = [
    ...writes,
    addresses,
    pooler,
    ...logins.map(({ finding }) => finding),
    ...(worker ? [] : [onlyGateway]),
  ]
  const facts = logins.find((login) => login.facts !== undefined)?.facts
  if (!facts) return [...roles, ...skipNamed([...serverChecks, ...schemaChecks], 'no role can log in')]
  const dayBytes = await readDayBytes(parts.feedReads).catch(() => null)
  return [...roles, ...(await checkServer(facts, parts.config, dayBytes)), ...(await checkSchema(facts, parts))]
}

const writesCheck = 'writes'
const blockersCheck = 'blockers'

const remedies = {
  disk_full:
    'The disk is full: free space on the machine of Postgres, or enlarge it. Processes go on by themselves. See docs/runbooks/ArsDatabaseCannotWrite.md.',
  database_read_only:
    'Point ARS_DATABASE_URL at the primary, or end default_transaction_read_only. See docs/runbooks/ArsDatabaseCannotWrite.md.',
} as const satisfies Partial<Record<WhyUnavailable, string>>

/** The first row, because without writes the other ones say little. */
const checkWrites = async ({ app }: GatewayParts): Promise<Finding> => {
  const why = await app.tryWrite()
  if (why === null) return { what: writesCheck, found: 'Postgres has space and takes writes' }
  return why === 'disk_full' || why === 'database_read_only'
    ? { what: writesCheck, found: unavailableReasons[why], advice: remedies[why] }
    : skipped(writesCheck, `not checked: ${unavailableReasons[why]}`)
}

/** A lock that is held for long makes requests fail with the reason `blocked`. */
const checkBlockers = async ({ app }: GatewayParts): Promise<Finding> => {
  const what = blockersCheck
  const names = await readBlockers(app).catch(() => undefined)
  if (names === undefined) return skipped(what, 'not checked: ars_app cannot log in')
  if (names === null) return { what, found: 'no session waits for a lock' }
  const advice =
    'If this lasts for more than a second, end the session: select pg_terminate_backend(pid). It may be a migration, which ends soon.'
  // Two transactions of customers may meet for a moment.
  return /application ars-(?!migrate)/.test(names) ? { what, found: names } : { what, found: names, advice }
}

/** Which mode runs, and what is weaker in it. */
const modes: Readonly<Record<DatabaseMode, (isWorker: boolean) => Finding>> = {
  'one address': () => ({
    what: 'database addresses',
    found:
      'one (ARS_DATABASE_URL): processes connect as restricted roles, but each process, gateways too, holds an address with all rights. An address for each role is safer',
  }),
  'an address for each role': (isWorker) => ({
    what: 'database addresses',
    found: isWorker
      ? 'one for each role: this environment has that of ars_system, which gateways need not have'
      : 'one for each role, and none that crosses organisations',
  }),
}

const onlyGateway: Finding = {
  what: 'role ars_system',
  found: 'not configured: this environment can run gateways, but no worker',
}

const roleChecks = ['role ars_app', 'role ars_auth', 'role ars_feed', 'role ars_system']

const skipAll = (why: string): Finding[] =>
  skipNamed([writesCheck, blockersCheck, ...roleChecks, ...serverChecks, ...schemaChecks], why)

const skipNamed = (names: readonly string[], why: string): Finding[] =>
  names.map((what) => skipped(what, `not checked: ${why}`))

const poolerWords = {
  direct: 'none: connections lead to Postgres',
  session: 'keeps one server process per connection',
  transaction: 'changes the server process, and prepared statements follow',
} as const

const checkPooler = async (config: Config): Promise<Finding> => {
  const what = 'connection pooler'
  const kind = await completeUrl(databaseLoginsOf(config).app)
    .then(findPoolerKind)
    .catch(() => null)
  // The check of the role reports why.
  if (kind === null) return skipped(what, 'not checked: ars_app cannot log in')
  if (kind !== 'unusable') return { what, found: poolerWords[kind] }
  return {
    what,
    found: 'loses prepared statements between transactions',
    advice:
      'Use PgBouncer 1.24 or newer with max_prepared_statements = 500, or pool_mode = session, or connect to Postgres directly. Versions before 1.21, such as 1.18 of Debian 12, cannot pool by transaction for this service.',
  }
}

type Login = { finding: Finding; facts?: ServerFacts }

type ExpectedRole = { role: string; variable: string; mode: DatabaseMode }

const checkRole = async (database: Database, expected: ExpectedRole): Promise<Login> => {
  const { role, variable, mode } = expected
  const what = `role ${role}`
  const facts = await readServerFacts(database).catch((error: unknown) => describe(error))
  if (typeof facts === 'string') {
    const login =
      mode === 'one address'
        ? 'Check ARS_DATABASE_URL. Postgres must be up and accept a password from every role, and `ars-server migrate` must have run with this address.'
        : `Check ${variable}. Postgres must be up, db/roles.sql must have run, and the password must match.`
    return { finding: { what, found: facts, advice: isFull(facts) ? remedies.disk_full : login } }
  }
  return { facts, finding: { what, ...judgeRole(facts, expected) } }
}

/** A full server opens no connection, because each writes a file first. */
const isFull = (fault: string): boolean => /init file|No space left on device/.test(fault)

const judgeRole = (facts: ServerFacts, { role, variable, mode }: ExpectedRole): Omit<Finding, 'what'> => {
  const fault = faultOfRole(facts, role)
  if (fault !== undefined)
    return mode === 'one address'
      ? {
          found: `the login ${facts.user} ${fault}`,
          advice: `Stop the service, drop the role ${facts.user}, and run \`ars-server migrate\`, which makes it anew.`,
        }
      : {
          found: `the role behind ${variable} ${fault}`,
          advice: `Set ${variable} to log in as ${role}, which db/roles.sql creates.`,
        }
  if (facts.isReadOnly)
    return {
      found: `${variable} leads to a read-only server, so every write fails`,
      advice: `Point ${variable} at the primary. It leads to a replica, to the old primary after a failover, or default_transaction_read_only is on.`,
    }
  if (facts.usesJit)
    return {
      found: 'uses just-in-time compilation (jit = on), which makes short statements take seconds',
      advice: `Run ${mode === 'one address' ? '`ars-server migrate`' : 'db/roles.sql'} again; it sets jit = off for the roles. Then restart the processes.`,
    }
  const { user } = facts
  return { found: `restricted by row-level security${user === role ? '' : `, as ${user}`}` }
}

const faultOfRole = (facts: ServerFacts, role: string): string | undefined => {
  if (facts.isSuperuser) return 'is a superuser'
  // A second login with a new password is a member of the role.
  if (facts.roles.join() !== role) return `is ${facts.user}`
  return facts.bypassesRowSecurity ? 'bypasses row-level security' : undefined
}

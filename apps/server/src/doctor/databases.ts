import type { GatewayParts, Parts } from '@ars/core'
import type { Config } from '@ars/core/config'
import type { Database } from '@ars/platform/db/database'
import { findPoolerKind } from '@ars/platform/db/pooler'
import { readServerFacts, type ServerFacts } from '@ars/platform/db/readiness'
import { describe, type Finding, skipped } from './finding.ts'
import { checkSchema, schemaChecks } from './schema.ts'
import { checkServer, serverChecks } from './server.ts'

/** All that is asked of Postgres: the way to it, each login, the server, and the schema. */
export const checkDatabases = async (parts: GatewayParts, worker: Parts | undefined): Promise<Finding[]> => {
  const pooler = await checkPooler(parts.config)
  if (pooler.advice !== undefined) return [pooler, ...skipAll('the connection pooler cannot be used')]
  const logins = await Promise.all([
    checkRole(parts.app, 'ars_app', 'ARS_DATABASE_URL'),
    checkRole(parts.auth, 'ars_auth', 'ARS_DATABASE_AUTH_URL'),
    checkRole(parts.feedReads, 'ars_feed', 'ARS_DATABASE_FEED_URL'),
    ...(worker ? [checkRole(worker.system, 'ars_system', 'ARS_DATABASE_SYSTEM_URL')] : []),
  ])
  const roles = [pooler, ...logins.map(({ finding }) => finding), ...(worker ? [] : [onlyGateway])]
  const facts = logins.find((login) => login.facts !== undefined)?.facts
  if (!facts) return [...roles, ...skipNamed([...serverChecks, ...schemaChecks], 'no role can log in')]
  return [...roles, ...(await checkServer(facts, parts.config)), ...(await checkSchema(facts, parts))]
}

const onlyGateway: Finding = {
  what: 'role ars_system',
  found: 'not configured: this environment can run gateways, but no worker',
}

const roleChecks = ['role ars_app', 'role ars_auth', 'role ars_feed', 'role ars_system']

const skipAll = (why: string): Finding[] => skipNamed([...roleChecks, ...serverChecks, ...schemaChecks], why)

const skipNamed = (names: readonly string[], why: string): Finding[] =>
  names.map((what) => skipped(what, `not checked: ${why}`))

const poolerWords = {
  direct: 'none: connections lead to Postgres',
  session: 'keeps one server process per connection',
  transaction: 'changes the server process, and prepared statements follow',
} as const

const checkPooler = async ({ databaseUrl }: Config): Promise<Finding> => {
  const what = 'connection pooler'
  const kind = await findPoolerKind(databaseUrl).catch(() => null)
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

const checkRole = async (database: Database, role: string, variable: string): Promise<Login> => {
  const what = `role ${role}`
  const facts = await readServerFacts(database).catch((error: unknown) => describe(error))
  if (typeof facts === 'string') {
    const advice = `Check ${variable}. Postgres must be up, db/roles.sql must have run, and the password must match.`
    return { finding: { what, found: facts, advice } }
  }
  return { facts, finding: { what, ...judgeRole(facts, role, variable) } }
}

const judgeRole = (facts: ServerFacts, role: string, variable: string): Omit<Finding, 'what'> => {
  const fault = faultOfRole(facts, role)
  if (fault !== undefined)
    return {
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
      advice: 'Run db/roles.sql again; it sets jit = off for the roles. Then restart the processes.',
    }
  return { found: 'restricted by row-level security' }
}

const faultOfRole = (facts: ServerFacts, role: string): string | undefined => {
  if (facts.isSuperuser) return 'is a superuser'
  // A second login with a new password is a member of the role.
  if (facts.roles.join() !== role) return `is ${facts.user}`
  return facts.bypassesRowSecurity ? 'bypasses row-level security' : undefined
}

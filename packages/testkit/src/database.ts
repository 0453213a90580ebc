import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { loginName, loginRoles } from '@ars/platform/db/logins'
import { makeLogins } from '@ars/platform/db/make-logins'
import { migrate } from '@ars/platform/db/migrate'
import { asClient } from './client.ts'
import { stackFacts } from './stack.ts'

/** A separate database for one test, migrated and empty, with one address per role of the service. */
export type TestDatabase = {
  readonly name: string
  readonly ownerUrl: string
  readonly appUrl: string
  readonly authUrl: string
  readonly feedUrl: string
  readonly systemUrl: string
  /** The superuser, for actions that no role of the service may perform. */
  readonly superuserUrl: string
  /**
   * The address of an administrator for `ARS_DATABASE_URL` alone. It is a superuser, for whom row-level security does not hold.
   * The logins of the service are made.
   */
  makeOneAddress(): Promise<string>
  /** Also closes open connections. */
  drop(): Promise<void>
}

/** Copies the migrated template, which is much faster than migrating. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const name = `ars_test_${randomBytes(6).toString('hex')}`
  await ensureTemplate()
  await asSuperuser(`create database ${name} template ${template} owner ars_owner`)
  return {
    name,
    ownerUrl: roleUrl('ars_owner', name),
    appUrl: roleUrl('ars_app', name),
    authUrl: roleUrl('ars_auth', name),
    feedUrl: roleUrl('ars_feed', name),
    systemUrl: roleUrl('ars_system', name),
    superuserUrl: superuserUrl(name),
    makeOneAddress: async () => {
      const address = roleUrl(adminOf(name), name)
      await asSuperuser(`create role ${adminOf(name)} superuser login password '${stackFacts().postgresPassword}'`)
      await makeLogins(address)
      return address
    },
    drop: async () => {
      await asSuperuser(`drop database if exists ${name} with (force)`)
      const logins = [adminOf(name), ...loginRoles.map((role) => loginName(role, name))]
      await asSuperuser(`drop role if exists ${logins.join()}`)
    },
  }
}

const adminOf = (database: string): string => `admin_of_${database}`

const template = 'ars_template'
const schemaDir = fileURLToPath(new URL('../../../db', import.meta.url))
// An arbitrary advisory lock id in the database `postgres`.
const templateLock = 541_820_317

let templateMade: Promise<void> | undefined

/** Created by the first caller of the test run; the others wait for the lock and find it finished. */
const ensureTemplate = (): Promise<void> => {
  templateMade ??= asClient(superuserUrl('postgres'), async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount) return
    // Renamed last, so that a failed migration never leaves a finished-looking template.
    const unfinished = `${template}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished} owner ars_owner`)
    await migrate({ url: roleUrl('ars_owner', unfinished), dir: schemaDir })
    await client.query(`alter database ${unfinished} rename to ${template}`)
  })
  return templateMade
}

const asSuperuser = (statement: string): Promise<void> =>
  asClient(superuserUrl('postgres'), async (client) => {
    await client.query(statement)
  })

const superuserUrl = (database: string): string => {
  const url = new URL(stackFacts().postgresSuperuserUrl)
  url.pathname = `/${database}`
  return url.href
}

const roleUrl = (role: string, database: string): string => {
  const { postgresPassword, postgresPort } = stackFacts()
  return `postgresql://${role}:${postgresPassword}@127.0.0.1:${postgresPort}/${database}`
}

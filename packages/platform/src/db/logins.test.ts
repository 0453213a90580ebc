import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { openDatabase } from './database.ts'
import { completeUrl, databaseIn, loginName, loginRoles, loginsFrom, loginsSchema } from './logins.ts'
import { makeLogins } from './make-logins.ts'
import { sql, statement } from './statement.ts'

let database: TestDatabase
let address: string
beforeAll(async () => {
  database = await createTestDatabase()
  address = await database.makeOneAddress()
})
afterAll(() => database.drop())

const asSuperuser = async <Row>(text: string): Promise<Row[]> =>
  asClient(database.superuserUrl, async (client) => (await client.query(text)).rows as Row[])

type RoleFacts = { name: string; powers: boolean; settings: string[] }

const factsOf = async (names: readonly string[]): Promise<RoleFacts[]> =>
  asSuperuser(`
    select name, r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls as powers,
           array(select unnest(setconfig) from pg_db_role_setting where setrole = r.oid and setdatabase = 0 order by 1) as settings
      from unnest(array['${names.join("', '")}']) with ordinality as wanted (name, position) join pg_roles r on r.rolname = name
     order by position`)

test('the logins of one address have the settings that db/roles.sql gives, and no power of an administrator', async () => {
  const served = loginRoles.filter((role) => role !== 'ars_owner')
  const settings = (facts: readonly RoleFacts[]) => facts.map((each) => each.settings)
  const made = await factsOf(served.map((role) => loginName(role, database.name)))
  expect(settings(made)).toEqual(settings(await factsOf(served)))
  expect(made.map(({ powers }) => powers)).toEqual([false, false, false, false])
})

// What somebody who can send any statement over a connection of the service would try.
const attempts = [
  'reset role',
  'set role none',
  'reset session authorization',
  'set session authorization default',
  'reset all',
  'discard all',
  'set role ars_system',
  'set role ars_owner',
  'set row_security = off',
  'set session authorization admin',
  `select password from ${loginsSchema}.passwords`,
]

const look = 'select session_user as session, current_user as role, (select count(*)::int from organisations) as rows'

test('no statement leads from the login of the API back to the administrator or to another role', async () => {
  const org = '0199aaaa-0000-7000-8000-00000000000a'
  await asSuperuser(`insert into organisations (id, name) values ('${org}', 'planted')`)
  const url = await completeUrl(loginsFrom(address).ars_app)
  for (const attempt of attempts) {
    const text = attempt.replace('authorization admin', `authorization admin_of_${database.name}`)
    const seen = await asClient(url, async (client) => {
      const answer = await client.query(text).catch(() => ({ rows: [] }))
      expect(answer.rows, attempt).toEqual([])
      return client.query(look).then(
        ({ rows }) => rows,
        (error: Error) => error.message,
      )
    })
    const name = loginName('ars_app', database.name)
    // Switched off, row-level security is an error for those whom it holds.
    const expected = attempt.includes('row_security')
      ? expect.stringContaining('would be affected by row-level security')
      : [{ session: name, role: name, rows: 0 }]
    expect(seen, attempt).toEqual(expected)
  }
  expect(await asSuperuser('select name from organisations')).toEqual([{ name: 'planted' }])
})

test('a pool asks for its password when it connects, and works as its role', async () => {
  const log = createLog({ level: 'silent' })
  const who = statement<Record<never, never>, { session: string }>('test.who', sql`select session_user as "session"`)
  for (const role of loginRoles) {
    const pool = openDatabase({ ...loginsFrom(address)[role], name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
    expect(await pool.once(null, who())).toEqual([{ session: loginName(role, database.name) }])
    expect(await pool.findFault()).toBeNull()
    await pool.close()
  }
})

test('what the owner makes belongs to ars_owner, as with an address for each role', async () => {
  const url = await completeUrl(loginsFrom(address).ars_owner)
  await asClient(url, (client) => client.query('create table made ()'))
  expect(await asSuperuser(`select tableowner as owner from pg_tables where tablename = 'made'`)).toEqual([
    { owner: 'ars_owner' },
  ])
  await asClient(url, (client) => client.query('drop table made'))
})

test('making the logins again keeps the passwords', async () => {
  const read = () => asSuperuser(`select login, password from ${loginsSchema}.passwords order by login`)
  const before = await read()
  await makeLogins(address)
  expect(await read()).toEqual(before)
  expect(before).toHaveLength(loginRoles.length)
})

test('without the logins a connection fails, and the message names the command that makes them', async () => {
  const other = await createTestDatabase()
  onTestFinished(() => other.drop())
  const otherAddress = new URL(address)
  otherAddress.pathname = `/${other.name}`
  const { ars_app } = loginsFrom(otherAddress.href)
  await expect(completeUrl(ars_app)).rejects.toThrow('Run `ars-server migrate`')
  // They are found as soon as they are made.
  await makeLogins(otherAddress.href)
  await expect(completeUrl(ars_app)).resolves.toContain(loginName('ars_app', other.name))
})

test('no role of the service reads the passwords', async () => {
  for (const role of loginRoles) {
    const url = await completeUrl(loginsFrom(address)[role])
    const read = asClient(url, (client) => client.query(`select password from ${loginsSchema}.passwords`))
    await expect(read, role).rejects.toThrow(`permission denied for schema ${loginsSchema}`)
  }
})

test('a schema that somebody else has made for the passwords is refused', async () => {
  const other = await createTestDatabase()
  onTestFinished(() => other.drop())
  const otherAddress = new URL(address)
  otherAddress.pathname = `/${other.name}`
  await asClient(other.ownerUrl, (client) =>
    client.query(
      `create schema ${loginsSchema}; create table ${loginsSchema}.passwords (login text primary key, password text)`,
    ),
  )
  await expect(makeLogins(otherAddress.href)).rejects.toThrow(`The schema ${loginsSchema} belongs to ars_owner`)
})

test('a login that may not create roles is refused with the right that it lacks', async () => {
  await expect(makeLogins(database.appUrl)).rejects.toThrow('ars_app, which may not create roles')
})

test('a database that is missing is made', async () => {
  const missing = new URL(address)
  missing.pathname = `/${database.name}_new`
  onTestFinished(async () => {
    await asSuperuser(`drop database if exists ${database.name}_new with (force)`)
    await asSuperuser(`drop role ${loginRoles.map((role) => loginName(role, `${database.name}_new`)).join()}`)
  })
  await makeLogins(missing.href)
  await expect(completeUrl(loginsFrom(missing.href).ars_app)).resolves.toContain('_new')
})

test('an address keeps its server, TLS and database, and loses what belongs to the administrator', () => {
  const { ars_app } = loginsFrom('postgres://admin:s%20t@db:5433/acme?sslmode=verify-full&options=-crole%3Da&sslkey=/k')
  expect(ars_app.url).toBe('postgres://ars_app_in_acme@db:5433/acme?sslmode=verify-full')
  expect(databaseIn('postgres://admin@db')).toBe('admin')
  expect(loginsFrom('postgres://admin@db').ars_feed.url).toBe('postgres://ars_feed_in_admin@db/admin')
  expect(loginName('ars_system', 'Größe'.repeat(20)).length).toBeLessThan(64)
})

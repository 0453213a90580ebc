import pg from 'pg'
import { platformBounds } from '../bounds.ts'
import { sha256 } from '../crypto.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/*
 * One address is enough to start. Its login is an administrator's, for whom row-level security may not hold, so no process works
 * as that login: `makeLogins` makes a login for each role of the service with a random password, and processes read the password
 * with the administrator's login and then connect as the role. The session of such a connection has no way back, because it never
 * was the administrator's: `reset role`, `set session authorization` and a pooler lead to no other role.
 */

/** The roles of the service that log in. */
export const loginRoles = ['ars_owner', 'ars_app', 'ars_auth', 'ars_feed', 'ars_system'] as const
export type LoginRole = (typeof loginRoles)[number]

/** How to log in to Postgres. `findPassword` is asked when a connection is opened. Undefined: the address is complete. */
export type Login = { url: string; findPassword?: () => Promise<string> }

/** The schema that holds the passwords. No role of the service may enter it. */
export const loginsSchema = 'ars_logins'

/** Stays below the 63 bytes of a name of Postgres, also if the database has a long name or one with other letters. */
export const loginName = (role: LoginRole, database: string): string =>
  /^[a-z0-9_]{1,40}$/.test(database)
    ? `${role}_in_${database}`
    : `${role}_in_${sha256(database).toString('hex').slice(0, 32)}`

/** The logins of the roles of a database, from the address of an administrator. Nothing is read before a connection needs it. */
export const loginsFrom = (address: string): Readonly<Record<LoginRole, Login>> => {
  let passwords: Promise<ReadonlyMap<string, string>> | undefined
  const readOnce = (): Promise<ReadonlyMap<string, string>> => {
    passwords ??= readPasswords(address).catch((error: unknown) => {
      // Asked again for the next connection.
      passwords = undefined
      throw error
    })
    return passwords
  }
  const login = (role: LoginRole): Login => {
    const name = loginName(role, databaseIn(address))
    const findPassword = async (): Promise<string> => {
      const password = (await readOnce()).get(name)
      if (password !== undefined) return password
      passwords = undefined
      throw new LoginsMissing()
    }
    return { url: urlOf(address, name), findPassword }
  }
  return Object.fromEntries(loginRoles.map((role) => [role, login(role)])) as Record<LoginRole, Login>
}

/** An address that has the password, for a program that connects at once. */
export const completeUrl = async ({ url, findPassword }: Login): Promise<string> => {
  if (!findPassword) return url
  const complete = new URL(url)
  complete.password = encodeURIComponent(await findPassword())
  return complete.href
}

/** A client for a pool, which asks for the password when it connects. */
export const clientFor = ({ findPassword }: Login): typeof pg.Client =>
  findPassword === undefined
    ? pg.Client
    : class extends pg.Client {
        constructor(config?: string | pg.ClientConfig) {
          super(config)
          Object.assign(this, { password: findPassword })
        }
      }

/** Like a table that is missing: `migrate` makes the logins. */
class LoginsMissing extends Error {
  override readonly name = 'LoginsMissing'
  readonly code = '42P01'
  constructor(options?: ErrorOptions) {
    super(
      'The database has no logins for the service. Run `ars-server migrate` with the same ARS_DATABASE_URL',
      options,
    )
  }
}

const connectTimeoutMs = platformBounds.databaseConnect.ms
const queryTimeoutMs = platformBounds.databaseQuery.ms

// The schema or the table does not exist, or belongs to another login.
const missing: readonly unknown[] = ['3F000', '42P01', '42501']

const readPasswords = async (address: string): Promise<ReadonlyMap<string, string>> => {
  const client = new pg.Client({
    connectionString: address,
    application_name: 'ars-logins',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
  })
  // The running query reports a lost connection.
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnavailable('No connection to the database', { cause: error })
  })
  try {
    const { rows } = await client.query<{ login: string; password: string }>(
      `select login, password from ${loginsSchema}.passwords`,
    )
    return new Map(rows.map(({ login, password }) => [login, password]))
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && missing.includes(error.code)
    throw isMissing ? new LoginsMissing({ cause: error }) : error
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The database that an address means, as its driver reads it. */
export const databaseIn = (address: string): string => {
  const { pathname, username, searchParams } = new URL(address)
  return decodeURIComponent(pathname.slice(1)) || (searchParams.get('user') ?? decodeURIComponent(username))
}

/** The user of an address, as its driver reads it. */
export const userIn = (address: string): string => {
  const { username, searchParams } = new URL(address)
  return searchParams.get('user') ?? decodeURIComponent(username)
}

// The same server, database and TLS. A client certificate and start-up options belong to the other login.
const urlOf = (address: string, user: string): string => {
  const url = new URL(address)
  if (url.pathname.length <= 1) url.pathname = `/${encodeURIComponent(databaseIn(address))}`
  for (const name of ['user', 'password', 'sslcert', 'sslkey', 'options']) url.searchParams.delete(name)
  url.username = user
  url.password = ''
  return url.href
}

import pg from 'pg'
import { randomBytes } from '../crypto.ts'
import { databaseIn, loginName, loginRoles, loginsSchema } from './logins.ts'
import { MigrationRefused } from './migrate.ts'

/**
 * Makes the roles of the service, a login of this database for each, and the database if it is missing, with the login of an
 * administrator: a superuser, or a role with `createrole` that owns the database. Repeating it changes nothing.
 *
 * The roles and their settings are those of db/roles.sql, which makes them for the mode with an address for each role.
 */
export const makeLogins = async (address: string): Promise<void> => {
  const client = await connect(address)
  try {
    await requireRights(client)
    await client.query(quietLog)
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [loginsLock])
    await makeRoles(client)
    await givePublicSchema(client)
    await client.query(makePasswords)
    await requireOwnPasswords(client)
    for (const role of loginRoles) await makeLogin(client, role, loginName(role, databaseIn(address)))
    await client.query('commit')
  } catch (error) {
    throw explain(error)
  } finally {
    await client.end()
  }
}

// An arbitrary advisory lock id. Concurrent calls for one database run one after the other.
const loginsLock = 7_305_242

const missingDatabase = '3D000'

const connect = async (address: string): Promise<pg.Client> => {
  const client = newClient(address)
  try {
    await client.connect()
    return client
  } catch (error) {
    if (codeOf(error) !== missingDatabase) throw error
  }
  const maintenance = new URL(address)
  maintenance.pathname = '/postgres'
  const maker = newClient(maintenance.href)
  await maker.connect()
  try {
    await maker.query(`create database ${pg.escapeIdentifier(databaseIn(address))}`)
  } catch (error) {
    throw explain(error)
  } finally {
    await maker.end()
  }
  const second = newClient(address)
  await second.connect()
  return second
}

const newClient = (address: string): pg.Client => {
  const client = new pg.Client({ connectionString: address, application_name: 'ars-migrate' })
  // The running query reports a lost connection.
  client.on('error', () => undefined)
  return client
}

const requireRights = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string; mayMakeRoles: boolean }>(
    `select rolname as name, rolsuper or rolcreaterole as "mayMakeRoles" from pg_roles where rolname = current_user`,
  )
  const [login] = rows
  if (login?.mayMakeRoles) return
  throw new MigrationRefused(
    `ARS_DATABASE_URL logs in as ${login?.name}, which may not create roles. Give it that right (\`alter role ${login?.name} createrole\`), ` +
      'or let an administrator run db/roles.sql and set an address for each role (docs/operate/README.md)',
  )
}

// The server must not log the passwords. Only a superuser can set it.
const quietLog = `
  do $$ begin
    perform set_config('log_statement', 'none', false), set_config('log_min_duration_statement', '-1', false),
            set_config('log_min_error_statement', 'panic', false);
  exception when insufficient_privilege then null;
  end $$;
  set password_encryption = 'scram-sha-256'`

/** `noinherit`: ars_app has the rights of ars_batch only in transactions that change to that role. */
const groups: Readonly<Record<string, string>> = {
  ars_owner: '',
  ars_app: 'noinherit',
  ars_auth: '',
  ars_backup: '',
  ars_batch: 'noinherit',
  ars_feed: '',
  ars_system: '',
}

const makeRoles = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any ($1)',
    [Object.keys(groups)],
  )
  const existing = rows.map(({ name }) => name)
  for (const [name, inheritance] of Object.entries(groups))
    if (!existing.includes(name)) await client.query(`create role ${name} nologin ${inheritance}`)
  const batch = await client.query(
    `select from pg_auth_members where roleid = 'ars_batch'::regrole and member = 'ars_app'::regrole`,
  )
  if (batch.rowCount === 0) await client.query('grant ars_batch to ars_app')
}

/** ars_owner makes the tables, and lets the other roles use the schema. */
const givePublicSchema = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string; isGiven: boolean }>(
    `select current_database() as name,
            has_schema_privilege('ars_owner', 'public', 'create with grant option')
              and has_schema_privilege('ars_owner', 'public', 'usage with grant option') as "isGiven"`,
  )
  if (!rows[0]?.isGiven) await client.query('grant usage, create on schema public to ars_owner with grant option')
  const shut = await client.query<{ name: string }>(
    `select rolname as name from pg_roles
      where rolname = any ($1) and not has_database_privilege(oid, current_database(), 'connect')`,
    [loginRoles],
  )
  for (const { name } of shut.rows)
    await client.query(`grant connect on database ${pg.escapeIdentifier(rows[0]?.name ?? '')} to ${name}`)
}

const makePasswords = `
  create schema if not exists ${loginsSchema};
  create table if not exists ${loginsSchema}.passwords (login text primary key, password text not null);
  revoke all on schema ${loginsSchema} from public;
  revoke all on ${loginsSchema}.passwords from public`

/** Somebody who may create schemas could have made this one before, to read the passwords. */
const requireOwnPasswords = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ owner: string }>(
    `select owner.rolname as owner
       from (select nspowner as oid from pg_namespace where nspname = $1
             union select relowner from pg_class where oid = to_regclass($2)) owners
       join pg_roles owner using (oid) where owner.rolname <> current_user`,
    [loginsSchema, `${loginsSchema}.passwords`],
  )
  const [other] = rows
  if (other)
    throw new MigrationRefused(
      `The schema ${loginsSchema} belongs to ${other.owner}. Set ARS_DATABASE_URL to that login, or drop the schema if you do not know it`,
    )
}

const makeLogin = async (client: pg.Client, role: string, login: string): Promise<void> => {
  // A password is kept, because other processes have read it.
  const { rows } = await client.query<{ password: string }>(
    `insert into ${loginsSchema}.passwords (login, password) values ($1, $2)
     on conflict (login) do update set login = excluded.login returning password`,
    [login, randomBytes(32).toString('base64url')],
  )
  const password = pg.escapeLiteral(rows[0]?.password ?? '')
  const name = pg.escapeIdentifier(login)
  const known = await client.query('select from pg_roles where rolname = $1', [login])
  if (known.rowCount === 0) await client.query(`create role ${name} in role ${role}`)
  await client.query(`alter role ${name} login inherit password ${password}`)
  for (const [setting, value] of Object.entries(settingsOf(role)))
    await client.query(`alter role ${name} set ${setting} = ${pg.escapeLiteral(value)}`)
}

// Settings belong to a login and are not inherited.
const settingsOf = (role: string): Readonly<Record<string, string>> =>
  role === 'ars_owner'
    ? // What it makes belongs to ars_owner, whose rights the functions and the policies of the schema use.
      { role }
    : {
        plan_cache_mode: 'force_generic_plan',
        jit: 'off',
        statement_timeout: '5s',
        idle_in_transaction_session_timeout: '10s',
      }

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const explain = (error: unknown): unknown =>
  codeOf(error) !== '42501'
    ? error
    : new MigrationRefused(
        `The login of ARS_DATABASE_URL lacks a right: ${(error as Error).message}. It must be a superuser, or own the database and ` +
          'have made the roles of the service itself; otherwise set an address for each role (docs/operate/README.md)',
        { cause: error },
      )

import type { Database } from './database.ts'
import { type NoParameters, sql, statement } from './statement.ts'

/** Facts about the database that readiness needs. */
export type DatabaseFacts = {
  version: string
  user: string
  /** The service's roles whose rights this login has. */
  roles: string[]
  isSuperuser: boolean
  bypassesRowSecurity: boolean
  /** Just-in-time compilation is on for this role. */
  usesJit: boolean
  migrations: string[]
  /** The clock of the database, compared with that of the process. */
  now: Date
  /** A test stack replaced `app_now()` by a function with an offset. */
  hasTestClock: boolean
  /** The last day for which every partitioned table has a partition, as YYYYMMDD. */
  partitionedUntil: string | null
}

export const readDatabaseFacts = async (db: Database): Promise<DatabaseFacts> => {
  const [facts] = await db.once(null, readFacts())
  if (!facts) throw new Error('The database returned no facts')
  return facts
}

const readFacts = statement<NoParameters, DatabaseFacts>(
  'platform.facts',
  sql`select current_setting('server_version') as "version",
          current_user as "user",
          array(select service.rolname::text from pg_roles service
                 where service.rolname in ('ars_owner', 'ars_app', 'ars_auth', 'ars_feed', 'ars_system')
                   and pg_has_role(current_user, service.oid, 'usage') order by 1) as "roles",
          r.rolsuper as "isSuperuser",
          r.rolbypassrls as "bypassesRowSecurity",
          current_setting('jit')::boolean as "usesJit",
          array(select name from migrations order by id)::text[] as "migrations",
          app_now() as "now",
          to_regclass('app_clock') is not null as "hasTestClock",
          (select min(last_day) from (
             select max(right(child.relname, 8)) as last_day
               from pg_partitioned_table p
               join pg_inherits i on i.inhparent = p.partrelid
               join pg_class child on child.oid = i.inhrelid
              group by p.partrelid) days) as "partitionedUntil"
     from pg_roles r where r.rolname = current_user`,
)

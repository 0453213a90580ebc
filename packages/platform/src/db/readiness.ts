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
  /** The last day for which every partitioned table has a partition, as YYYYMMDD. Null: one has none for today. */
  partitionedUntil: string | null
  /** The partitions of the table that has the most. A statement locks all partitions of its tables. */
  maxPartitions: number
  maxLocksPerTransaction: number
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
          (select coalesce(max(partitions), 0)::integer from (
             select count(*) as partitions from pg_inherits i
               join pg_partitioned_table p on p.partrelid = i.inhparent group by p.partrelid) tables) as "maxPartitions",
          current_setting('max_locks_per_transaction')::integer as "maxLocksPerTransaction",
          -- The name of a partition ends with its first day, and with its number of days if it has several.
          (select case when bool_and(has_today) then to_char(min(end_day) - 1, 'YYYYMMDD') end from (
             select coalesce(bool_or(first_day <= today and today < first_day + days), false) as has_today,
                    max(first_day + days) as end_day
               from pg_partitioned_table p
               left join pg_inherits i on i.inhparent = p.partrelid
               left join pg_class child on child.oid = i.inhrelid
               cross join lateral (
                 select (app_now() at time zone 'utc')::date as today,
                        to_date(substring(child.relname from '_p([0-9]{8})'), 'YYYYMMDD') as first_day,
                        coalesce(substring(child.relname from '_([2-7])d$')::integer, 1) as days) d
              group by p.partrelid) tables) as "partitionedUntil"
     from pg_roles r where r.rolname = current_user`,
)

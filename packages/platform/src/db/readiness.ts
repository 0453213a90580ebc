import type { Database } from './database.ts'
import type { SchemaState } from './schema-fit.ts'
import { type NoParameters, sql, statement } from './statement.ts'

/** Facts about a server and a login, which can be read from an empty database. */
export type ServerFacts = {
  version: string
  user: string
  /** The service's roles whose rights this login has. */
  roles: string[]
  isSuperuser: boolean
  bypassesRowSecurity: boolean
  /** Just-in-time compilation is on for this role. */
  usesJit: boolean
  /** A replica, the old primary after a failover, or a database that was set to read-only. */
  isReadOnly: boolean
  hasMigrations: boolean
  /** `max_connections` without those that are reserved. */
  maxConnections: number
  /** Connections of all programs at this moment. */
  connections: number
  databaseBytes: number
  /** This login may change to the role of batches. */
  hasBatchRole: boolean
  /** Null: only members of `pg_read_all_settings` may see it. */
  dataDirectory: string | null
}

export const readServerFacts = async (db: Database): Promise<ServerFacts> => {
  const [facts] = await db.once(null, readServer())
  if (!facts) throw new Error('The database returned no facts')
  return { ...facts, connections: Number(facts.connections), databaseBytes: Number(facts.databaseBytes) }
}

const readServer = statement<NoParameters, ServerFacts>(
  'platform.server_facts',
  sql`select current_setting('server_version') as "version",
          current_user as "user",
          array(select service.rolname::text from pg_roles service
                 where service.rolname in ('ars_owner', 'ars_app', 'ars_auth', 'ars_feed', 'ars_system')
                   and pg_has_role(current_user, service.oid, 'usage') order by 1) as "roles",
          r.rolsuper as "isSuperuser",
          r.rolbypassrls as "bypassesRowSecurity",
          current_setting('jit')::boolean as "usesJit",
          pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly",
          to_regclass('migrations') is not null as "hasMigrations",
          current_setting('max_connections')::integer
            - current_setting('superuser_reserved_connections')::integer
            -- Since Postgres 16.
            - coalesce(current_setting('reserved_connections', true), '0')::integer as "maxConnections",
          (select sum(numbackends) from pg_stat_database) as "connections",
          pg_database_size(current_database()) as "databaseBytes",
          exists (select from pg_roles batch
                   where batch.rolname = 'ars_batch' and pg_has_role(current_user, batch.oid, 'member')) as "hasBatchRole",
          (select setting from pg_settings where name = 'data_directory') as "dataDirectory"
     from pg_roles r where r.rolname = current_user`,
)

/** The sessions that hold what a session of the service waits for, in words. Null: none waits. */
export const readBlockers = async (db: Database): Promise<string | null> =>
  (await db.once(null, findBlockers()))[0]?.names ?? null

const findBlockers = statement<NoParameters, { names: string | null }>(
  'platform.blockers',
  sql`select string_agg(distinct format('process %s (role %s, application %s)', holder.pid, holder.usename,
               coalesce(nullif(holder.application_name, ''), 'without a name')), ', ') as names
        from pg_stat_activity waiting
       cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocking(pid)
        join pg_stat_activity holder on holder.pid = blocking.pid
       where waiting.datname = current_database() and waiting.application_name like 'ars-%'`,
)

/** What the rows of yesterday take on the disk, in all partitioned tables. */
export const readDayBytes = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, readYesterday())
  return Number(row?.bytes ?? 0)
}

const readYesterday = statement<NoParameters, { bytes: string }>(
  'platform.day_bytes',
  sql`select coalesce(sum(pg_total_relation_size(child.oid)
                          / coalesce(substring(child.relname from '_([2-7])d$')::integer, 1)), 0)::bigint as bytes
        from pg_inherits i
        join pg_partitioned_table p on p.partrelid = i.inhparent
        join pg_class child on child.oid = i.inhrelid
       cross join lateral (
         select (app_now() at time zone 'utc')::date - 1 as yesterday,
                to_date(substring(child.relname from '_p([0-9]{8})'), 'YYYYMMDD') as first_day) d
       where first_day <= yesterday
         and yesterday < first_day + coalesce(substring(child.relname from '_([2-7])d$')::integer, 1)`,
)

/** Where the files of the server are. Null: only members of `pg_read_all_settings` may see it. */
export const readDataDirectory = async (db: Database): Promise<string | null> =>
  (await db.once(null, dataDirectoryOf()))[0]?.path ?? null

const dataDirectoryOf = statement<NoParameters, { path: string }>(
  'platform.data_directory',
  sql`select setting as path from pg_settings where name = 'data_directory'`,
)

/** Facts about the schema and the clock of a migrated database. */
export type DatabaseFacts = SchemaState & {
  /** The clock of the database, compared with that of the process. */
  now: Date
  /** A test stack replaced `app_now()` by a function with an offset. */
  hasTestClock: boolean
  /** The last day for which every partitioned table has a partition, as YYYYMMDD. Null: one has none for today. */
  partitionedUntil: string | null
  /** The partitions of the table that has the most. A statement locks all partitions of its tables. */
  maxPartitions: number
  maxLocksPerTransaction: number
  /** The first day of the oldest partition of runs, and the day after its last, as YYYYMMDD. */
  oldestDay: string | null
  oldestUntil: string | null
}

export const readDatabaseFacts = async (db: Database): Promise<DatabaseFacts> => {
  const [facts] = await db.once(null, readFacts())
  if (!facts) throw new Error('The database returned no facts')
  return facts
}

const readFacts = statement<NoParameters, DatabaseFacts>(
  'platform.facts',
  sql`select array(select name from migrations order by id)::text[] as "migrations",
          coalesce((select json_agg(json_build_object('name', name, 'release', release) order by id)
                      from migrations where needs_stop), '[]') as "stops",
          coalesce((select json_agg(json_build_object('name', name, 'hash', hash, 'release', release))
                      from schema_functions), '[]') as "functions",
          (select release from migrations order by id desc limit 1) as "migratedBy",
          app_now() as "now",
          to_regclass('app_clock') is not null as "hasTestClock",
          (select coalesce(max(partitions), 0)::integer from (
             select count(*) as partitions from pg_inherits i
               join pg_partitioned_table p on p.partrelid = i.inhparent group by p.partrelid) tables) as "maxPartitions",
          current_setting('max_locks_per_transaction')::integer as "maxLocksPerTransaction",
          oldest.day as "oldestDay",
          oldest.until as "oldestUntil",
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
     from (select to_char(first_day, 'YYYYMMDD') as day, to_char(first_day + days, 'YYYYMMDD') as until
             from pg_inherits i
             join pg_class child on child.oid = i.inhrelid
             cross join lateral (
               select to_date(substring(child.relname from '_p([0-9]{8})'), 'YYYYMMDD') as first_day,
                      coalesce(substring(child.relname from '_([2-7])d$')::integer, 1) as days) d
            where i.inhparent = 'runs'::regclass and first_day is not null
            order by first_day limit 1) oldest
    right join (select) always on true`,
)

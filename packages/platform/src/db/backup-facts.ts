import { type Session, withSession } from './session.ts'

/** Facts about a Postgres server that decide whether it can be backed up. */
export type BackupFacts = {
  /** Such as 15. */
  major: number
  user: string
  canReplicate: boolean
  walLevel: string
  maxWalSenders: number
  /** Tablespaces beside the two that every cluster has. */
  tablespaces: number
  /** The same for a cluster and all copies of it. */
  systemIdentifier: string
  /** Grows by one with every restore and fail-over. */
  timeline: number
  /** The databases that this role may enter. */
  bytes: number
  /** A process receives WAL through the slot. Null: the slot does not exist. */
  isSlotActive: boolean | null
  /** The last migration. Null: this role may not read it, or the database is another one. */
  schema: string | null
}

const options = { name: 'backup', timeoutMs: 10_000 }

/** Connects once. The login need not be one of the service's roles, and its database need not be the service's. */
export const readBackupFacts = async (url: string, slot: string): Promise<BackupFacts> =>
  withSession({ url, ...options }, async (session) => {
    const [facts] = await session.query<Omit<BackupFacts, 'schema' | 'bytes'> & { bytes: string }>(readFacts, [slot])
    if (!facts) throw new Error('The database returned no facts')
    return { ...facts, bytes: Number(facts.bytes), schema: await readSchema(session) }
  })

/** The time of the database, because a restore compares it with the times of commits. */
export const readDatabaseTime = async (url: string): Promise<Date> =>
  withSession({ url, ...options }, async (session) => {
    // The role of back-ups may have no right to use app_now(), which is a function of the service's database.
    const [row] = await session.query<{ at: Date }>(
      'select query_start as at from pg_stat_activity where pid = pg_backend_pid()',
    )
    if (!row) throw new Error('The database returned no time')
    return row.at
  })

const readFacts = `
  select current_setting('server_version_num')::integer / 10000 as major,
         current_user as user,
         r.rolsuper or r.rolreplication as "canReplicate",
         current_setting('wal_level') as "walLevel",
         current_setting('max_wal_senders')::integer as "maxWalSenders",
         (select count(*)::integer - 2 from pg_tablespace) as tablespaces,
         (select system_identifier::text from pg_control_system()) as "systemIdentifier",
         -- After a promotion the control file has the old timeline until the next checkpoint.
         case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
              else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline,
         (select coalesce(sum(pg_database_size(oid)), 0) from pg_database
           where has_database_privilege(oid, 'connect')) as bytes,
         (select active from pg_replication_slots where slot_name = $1) as "isSlotActive"
    from pg_roles r where r.rolname = current_user`

const readSchema = async (session: Session): Promise<string | null> => {
  const [table] = await session.query<{ readable: boolean | null }>(
    `select has_table_privilege(to_regclass('public.migrations'), 'select') as readable`,
  )
  if (!table?.readable) return null
  const [last] = await session.query<{ name: string }>('select name from public.migrations order by id desc limit 1')
  return last?.name ?? null
}

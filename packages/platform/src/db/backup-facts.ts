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

/** How far the reader of the slot has come. */
export type ArchiveMark = {
  now: Date
  /** The end of what is committed now. */
  written: string
  /** Everything before it is in the archive. Null: nothing was received yet. */
  received: string | null
}

export const readArchiveMark = (url: string, slot: string): Promise<ArchiveMark> =>
  withSession({ url, ...options }, async (session) => {
    const [mark] = await session.query<ArchiveMark>(
      `select a.query_start as now, pg_current_wal_flush_lsn()::text as written,
              (select restart_lsn::text from pg_replication_slots where slot_name = $1) as received
         from pg_stat_activity a where a.pid = pg_backend_pid()`,
      [slot],
    )
    if (!mark) throw new Error('The database returned no position')
    return mark
  })

/** Whether the archive has everything that was written at an earlier mark. */
export const hasReceived = ({ received }: ArchiveMark, earlier: ArchiveMark): boolean =>
  received !== null && positionOf(received) >= positionOf(earlier.written)

const positionOf = (lsn: string): bigint => {
  const [high = '', low = ''] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

type BackupNote = { baseEndedAt: Date } | { archivedUntil: Date }

/**
 * Notes in the database what was copied, for the metrics and `doctor`. A note of another history is forgotten. Answers false if the
 * role may not, or if this is not the database of the service.
 */
export const noteBackup = (url: string, timeline: number, note: BackupNote): Promise<boolean> =>
  withSession({ url, ...options }, async (session) => {
    const [table] = await session.query<{ writable: boolean | null }>(
      `select has_table_privilege(to_regclass('public.backup_state'), 'insert, update') as writable`,
    )
    if (!table?.writable) return false
    const [column, at] =
      'baseEndedAt' in note ? ['base_ended_at', note.baseEndedAt] : ['archived_until', note.archivedUntil]
    const other = column === 'base_ended_at' ? 'archived_until' : 'base_ended_at'
    await session.change(
      `insert into public.backup_state as known (timeline, ${column}) values ($1, $2)
       on conflict (only_row) do update set timeline = excluded.timeline, ${column} = excluded.${column},
         ${other} = case when known.timeline = excluded.timeline then known.${other} end`,
      [timeline, at],
    )
    return true
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

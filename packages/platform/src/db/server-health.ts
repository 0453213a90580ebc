import type { Database } from './database.ts'
import { type NoParameters, sql, statement } from './statement.ts'

type ServerHealth = {
  /** The age of the oldest transaction id in use. Postgres stops writes near 2,147 million. */
  transactionAge: number
  /** WAL that is kept for the reader of a slot: a standby, or the archive of the back-ups. */
  slots: { name: string; retainedBytes: number }[]
}

export const readServerHealth = async (db: Database): Promise<ServerHealth> => {
  const [[ages], slots] = await db.batch(null, [readAge(), readSlots()])
  return {
    transactionAge: ages?.age ?? 0,
    slots: slots.map(({ name, retained }) => ({ name, retainedBytes: Number(retained) })),
  }
}

const readAge = statement<NoParameters, { age: number }>(
  'platform.transaction_age',
  sql`select max(age(datfrozenxid)) as age from pg_database`,
)

const readSlots = statement<NoParameters, { name: string; retained: string }>(
  'platform.replication_slots',
  sql`select slot_name::text as name, greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint as retained
        from pg_replication_slots where restart_lsn is not null`,
)

/** What `ars-server backup` has noted of this history. Null: nothing. */
export type BackupState = { baseEndedAt: Date | null; archivedUntil: Date | null }

export const readBackupState = async (db: Database): Promise<BackupState | null> => {
  const [[found]] = await db.batch(null, [readBackups()])
  return found ?? null
}

// A standby that was promoted, and a restored database, have another timeline, of which nothing was copied yet.
const readBackups = statement<NoParameters, BackupState>(
  'platform.backups',
  sql`select base_ended_at as "baseEndedAt", archived_until as "archivedUntil" from backup_state
       where timeline = ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer`,
)

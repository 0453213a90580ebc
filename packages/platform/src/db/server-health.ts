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

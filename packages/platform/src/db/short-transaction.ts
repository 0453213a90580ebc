import type pg from 'pg'
import { platformBounds } from '../bounds.ts'
import type { Blockers } from './blockers.ts'

// Readers and writers of a table wait behind an `alter table` that waits, so it gives up and is tried again. Gateways wait longer
// than this (`apiLock` of the server). Postgres looks for deadlocks after a second: the migration gives way earlier.
const lockTimeoutMs = platformBounds.migrationLockWait.ms

/** Carries out a part of a migration in a transaction that waits for no lock for long. */
export type ShortTransaction = (work: () => Promise<unknown>) => Promise<void>

/** Says afterwards which locks of older tables stopped readers or writers, and for how long. */
export const shortTransaction =
  (
    client: pg.Client,
    { name, blockers, say }: { name: string; blockers: Blockers; say(line: string): void },
  ): ShortTransaction =>
  async (work) => {
    const known = (await client.query<{ oids: string[] }>(listRelations)).rows[0]?.oids ?? []
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`)
    const begunMs = performance.now()
    await work()
    const { rows } = await client.query<{ lock: string }>(listHeld, [known])
    await client.query('commit')
    if (rows.length === 0) return
    // At most: it may have got its lock later than it was last seen to wait.
    const heldMs = performance.now() - Math.max(begunMs, blockers.lastSeenMs())
    say(`${name} held ${rows.map(({ lock }) => lock).join(', ')} for ${Math.ceil(heldMs)} ms`)
  }

/** What such a line says; null: it is another line. */
export const readHeldMs = (line: string): number | null => {
  const [, ms] = /^\S.* held \w+Lock on .* for (\d+) ms$/.exec(line) ?? []
  return ms === undefined ? null : Number(ms)
}

const listRelations = `select array_agg(oid)::text[] as oids from pg_class where relkind in ('r', 'p', 'i', 'I') and oid >= 16384`

// Locks that conflict with a write or with a read. A partition has the name of its table, and an index that of the table too.
const listHeld = `
  select distinct format('%s on %s', l.mode, coalesce(pg_partition_root(held.oid), held.oid)::regclass) as lock
    from pg_locks l
    left join pg_index i on i.indexrelid = l.relation
   cross join lateral (select coalesce(i.indrelid, l.relation)::regclass as oid) held
   where l.pid = pg_backend_pid() and l.locktype = 'relation' and l.granted
     and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     and l.relation = any ($1::oid[])
   order by lock`

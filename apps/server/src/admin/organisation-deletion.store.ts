import { beginFor, quoteName, type Session } from '@ars/platform/db/session'
import { serverBounds } from '../bounds.ts'
import { statementTimeoutMs } from './organisation-rows.store.ts'

/** A table whose rows are deleted, and the tables that hold them: its partitions, or itself. */
export type DeletionStep = { table: string; leaves: string[] }

/** Rows that start work or let somebody in. Without them nothing new of the organisation begins. No other table refers to them. */
export const startingTables: readonly string[] = [
  'session_tokens',
  'run_shares',
  'schedules',
  'schedule_firings',
  'batches',
  'pipeline_heads',
  'run_heads',
  'outbox',
  'delivery_heads',
]

/** A piece of a table, in pages of 8 kB: what one transaction reads. */
const pagesAtOnce = serverBounds.pagesDeleted.count
const peopleAtOnce = serverBounds.peopleDeleted.count
const foreignKeyViolation = '23503'

// crosses organisations: reads the names of tables, partitions and references, and no row.
export const planDeletion = async (db: Session): Promise<DeletionStep[]> => {
  const tables = await db.query<DeletionStep & { refers: string[] }>(
    `select c.relname as table,
            coalesce((select array_agg(t.relid::regclass::text order by t.relid) from pg_partition_tree(c.oid) t where t.isleaf),
                     array[c.relname::text]) as leaves,
            array(select distinct f.confrelid::regclass::text from pg_constraint f
                   where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers
       from pg_class c
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
      order by array_position($1::text[], c.relname::text) nulls last, c.relname`,
    [startingTables],
  )
  return inOrder(tables).map(({ table, leaves }) => ({ table, leaves }))
}

/** A table comes before those that it refers to. */
const inOrder = <Table extends { table: string; refers: string[] }>(tables: readonly Table[]): Table[] => {
  const waiting = [...tables]
  const ordered: Table[] = []
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ table }) => !waiting.some((other) => other.refers.includes(table)))
    // A circle of references would need a constraint that is checked at the commit. There is none.
    ordered.push(...waiting.splice(Math.max(at, 0), 1))
  }
  return ordered
}

/** All credentials end. Answers the buckets of the keys in Redis, and the runs that are in progress. */
export const closeDoors = (db: Session, org: string): Promise<{ buckets: string[]; runs: string[] }> =>
  inTransaction(db, org, async () => {
    const keys = await db.query<{ id: string }>(
      `update api_keys set revoked_at = coalesce(revoked_at, app_now()) where org_id = $1
       returning coalesce(bucket_id, id) as id`,
      [org],
    )
    const runs = await db.query<{ id: string }>('select run_id as id from run_heads where org_id = $1', [org])
    return { buckets: keys.map(({ id }) => id), runs: runs.map(({ id }) => id) }
  })

/** Deletes in pieces, each a transaction, so that no lock is held for long and a repetition goes on. */
export const deleteRows = async (db: Session, org: string, leaf: string): Promise<number> => {
  let deleted = 0
  await eachPiece(db, leaf, async (condition) => {
    deleted += await inTransaction(db, org, () =>
      db.change(`delete from only ${leaf} where org_id = $1 and ${condition}`, [org]),
    )
  })
  return deleted
}

export const countRows = async (db: Session, org: string, leaf: string): Promise<number> => {
  let count = 0
  await eachPiece(db, leaf, async (condition) => {
    const [row] = await inTransaction(db, org, () =>
      db.query<{ rows: number }>(
        `select count(*)::integer as rows from only ${leaf} where org_id = $1 and ${condition}`,
        [org],
      ),
    )
    count += row?.rows ?? 0
  })
  return count
}

const eachPiece = async (db: Session, leaf: string, work: (condition: string) => Promise<void>): Promise<void> => {
  const [size] = await db.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::integer)::integer as pages`,
    [leaf],
  )
  for (let from = 0; from <= (size?.pages ?? 0); from += pagesAtOnce)
    await work(`ctid >= '(${from},0)'::tid and ctid < '(${from + pagesAtOnce},0)'::tid`)
}

/**
 * Removes the members. A person who belongs to no other organisation is deleted too, in the same transaction, so that a
 * command that is killed leaves no account without an organisation.
 */
export const deletePeople = async (db: Session, org: string): Promise<{ members: number; users: number }> => {
  const removed = { members: 0, users: 0 }
  for (;;) {
    const page = await inTransaction(db, org, async () => {
      const members = await db.query<{ user: string }>(
        `delete from members where id in (select id from members where org_id = $1 order by id limit $2 for update)
         returning user_id as "user"`,
        [org, peopleAtOnce],
      )
      const alone = await db.query<{ id: string }>(
        `select id from users where id = any($1)
            and not exists (select from members m where m.user_id = users.id) for update`,
        [members.map(({ user }) => user)],
      )
      const ids = [alone.map(({ id }) => id)]
      for (const table of ['session_tokens', 'sessions'])
        await db.change(
          table === 'sessions'
            ? 'delete from sessions where user_id = any($1)'
            : 'delete from session_tokens where session_id in (select id from sessions where user_id = any($1))',
          ids,
        )
      for (const table of ['email_proofs', 'password_resets', 'login_devices'])
        await db.change(`delete from ${quoteName(table)} where user_id = any($1)`, ids)
      const users = await db.change('delete from users where id = any($1)', ids)
      return { members: members.length, users }
    })
    removed.members += page.members
    removed.users += page.users
    if (page.members < peopleAtOnce) return removed
  }
}

export const findOrganisation = async (db: Session, org: string): Promise<{ name: string } | null> => {
  const rows = await inTransaction(db, org, () =>
    db.query<{ name: string }>('select name from organisations where id = $1', [org]),
  )
  return rows[0] ?? null
}

/** Last: its absence says that the deletion was complete. 0: it is gone, or a row was added since that refers to it. */
export const deleteOrganisation = async (db: Session, org: string): Promise<number> => {
  try {
    return await inTransaction(db, org, () => db.change('delete from organisations where id = $1', [org]))
  } catch (error) {
    if ((error as { code?: string }).code === foreignKeyViolation) return 0
    throw error
  }
}

export const inTransaction = async <Result>(db: Session, org: string, work: () => Promise<Result>): Promise<Result> => {
  await beginFor(db, org, { timeoutMs: statementTimeoutMs })
  try {
    const result = await work()
    await db.query('commit')
    return result
  } catch (error) {
    await db.query('rollback').catch(() => undefined)
    throw error
  }
}

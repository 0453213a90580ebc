import { beginFor, quoteName, quoteText, type Session } from '@ars/platform/db/session'
import { serverBounds } from '../bounds.ts'

/** A table with rows of organisations. */
export type TenantTable = {
  name: string
  /** Without those that hold secrets, their hashes or keys. */
  columns: string[]
  /** Left out of an export. */
  secretColumns: string[]
}

// Secrets, keys and hashes are bytes, and no other column is, except these: an export without them could not be verified.
const publicBytes = ['audit_log.hash', 'audit_heads.hash']
const secretTexts = ['users.password_hash']

/** Of people, who may belong to several organisations. Only `ars_system` may read it as a whole. */
export const peopleTable = 'users'

/** Tables without `org_id` that belong to an organisation, and the condition that finds its rows. */
export const others: Readonly<Record<string, string>> = {
  organisations: 'id = :org',
  users: 'id in (select user_id from members where org_id = :org)',
}

/** Tables that belong to no organisation, with the reason. A test fails for a table that is neither here nor in an export. */
export const tablesOfNobody: Readonly<Record<string, string>> = {
  backup_state: 'one row of the installation',
  cell: 'one row of the installation',
  closed_organisations: 'which organisations move to another installation, written by the operator',
  email_proofs: 'links of a person, who may belong to several organisations',
  event_clock: 'one row of the installation',
  gateways: 'processes of the installation',
  login_attempts: 'counters without a person',
  login_devices: 'browsers of a person, who may belong to several organisations',
  mail_recipients: 'counters of addresses over all organisations',
  migrations: 'which release the schema has',
  moved_days: 'names of partitions, while an organisation moves',
  schema_functions: 'which release the functions have',
  partition_parents: 'names of tables',
  password_resets: 'links of a person, who may belong to several organisations',
  usage_cursor: 'one row of the installation',
}

// crosses organisations: reads the names of tables and columns, and no row.
export const listTenantTables = async (db: Session): Promise<TenantTable[]> => {
  const rows = await db.query<{ name: string; columns: { name: string; type: string }[] }>(
    `select c.relname as name,
            json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      group by c.relname
     having bool_or(a.attname = 'org_id') or c.relname = any($1)
      order by c.relname`,
    [Object.keys(others)],
  )
  return rows.map(({ name, columns }) => {
    const isSecret = (column: { name: string; type: string }): boolean =>
      (column.type.startsWith('bytea') && !publicBytes.includes(`${name}.${column.name}`)) ||
      secretTexts.includes(`${name}.${column.name}`)
    return {
      name,
      columns: columns.filter((column) => !isSecret(column)).map((column) => column.name),
      secretColumns: columns.filter(isSecret).map((column) => column.name),
    }
  })
}

/** A statement on a large table may read many rows of other organisations before it finds one. */
export const statementTimeoutMs = serverBounds.rowsStatement.ms

/** Hands over all rows of a table as JSON, a line each, in one snapshot if the session is in one. */
export const readRows = async (
  db: Session,
  org: string,
  { table, onLines }: { table: TenantTable; onLines: (lines: string[]) => Promise<void> },
): Promise<void> => {
  const condition = (others[table.name] ?? 'org_id = :org').replaceAll(':org', `${quoteText(org)}::uuid`)
  const columns = table.columns.map(quoteName).join(', ')
  const from = `from (select ${columns} from ${quoteName(table.name)} where ${condition}) r`
  const portions = readPortions<{ line: string }>(db, {
    columns: 'to_json(r)::text as line',
    bytes: 'octet_length(to_json(r)::text)',
    from,
    max: serverBounds.rowsRead,
  })
  // JSON as a customer sent it may contain line breaks, between its tokens only.
  for await (const rows of portions) await onLines(rows.map(({ line }) => line.replaceAll(/[\r\n]+/g, ' ')))
}

type Reading = { columns: string; bytes: string; from: string; max: { count: number; bytes: number } }

/**
 * The rows of a query, in portions of at most `max.count` rows and `max.bytes`, or of one row. A customer decides how large each row is, so the
 * sizes are read first. The session is in a transaction, in which a table is read twice in the same order.
 */
// crosses organisations: the caller's query names the organisation.
export const readPortions = async function* <Row>(
  db: Session,
  { columns, bytes, from, max }: Reading,
): AsyncGenerator<Row[], void, undefined> {
  await db.query('set local synchronize_seqscans = off')
  await db.query(`declare row_sizes no scroll cursor for select (${bytes})::integer as bytes ${from}`)
  await db.query(`declare read_rows no scroll cursor for select ${columns} ${from}`)
  const sizes: number[] = []
  for (;;) {
    if (sizes.length < max.count)
      for (const row of await db.query<{ bytes: number }>(`fetch ${max.count} from row_sizes`)) sizes.push(row.bytes)
    const rows = await db.query<Row>(`fetch ${portionOf(sizes, max)} from read_rows`)
    if (rows.length === 0) break
    sizes.splice(0, rows.length)
    yield rows
  }
  await db.query('close row_sizes')
  await db.query('close read_rows')
}

/** How many of the next rows fit: at least one. */
const portionOf = (sizes: readonly number[], max: { count: number; bytes: number }): number => {
  let [count, bytes] = [0, 0]
  for (const size of sizes.slice(0, max.count)) {
    bytes += size
    if (count > 0 && bytes > max.bytes) break
    count++
  }
  return Math.max(1, count)
}

const oneMoment = 'isolation level repeatable read read only'

/** One moment for all tables, and for another session that joins it. Null: there is no such organisation. */
export const beginSnapshot = async (db: Session, org: string): Promise<{ name: string; snapshot: string } | null> => {
  await beginFor(db, org, { timeoutMs: statementTimeoutMs, mode: oneMoment })
  const [organisation] = await db.query<{ name: string; snapshot: string }>(
    'select name, pg_export_snapshot() as snapshot from organisations where id = $1',
    [org],
  )
  return organisation ?? null
}

/** For rows that only another role may read. */
export const joinSnapshot = (db: Session, org: string, snapshot: string): Promise<void> =>
  beginFor(db, org, { timeoutMs: statementTimeoutMs, mode: oneMoment, snapshot })

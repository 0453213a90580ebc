import { quoteName, quoteText, type Session } from '@ars/platform/db/session'
import { textArray } from '@ars/platform/db/text-array'
import { serverBounds } from '../bounds.ts'
import { others, readPortions } from './organisation-rows.store.ts'

/** A table whose rows of an organisation are copied, with every column that is stored. */
export type CopiedTable = {
  name: string
  columns: { name: string; type: string }[]
  /** The column that its partitions divide. Null: it has none, and is small. */
  partitionColumn: { name: string; type: string } | null
}

/** How many rows there are, and a sum over all their values that does not depend on their order. */
export type RowsDigest = { rows: number; digest: string }

/** Rows of a table that were created within a few seconds of each other. */
export type Bucket = string

// crosses organisations: reads the names of tables and columns, and no row.
export const listCopiedTables = (db: Session, names: readonly string[]): Promise<CopiedTable[]> =>
  db.query<CopiedTable>(
    `select c.relname as name,
            json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
              filter (where a.attgenerated = '') as columns,
            (select json_build_object('name', k.attname, 'type', format_type(k.atttypid, null))
               from pg_partitioned_table p join pg_attribute k on k.attrelid = c.oid and k.attnum = p.partattrs[0]
              where p.partrelid = c.oid) as "partitionColumn"
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname = any($1)
      group by c.oid, c.relname
      order by array_position($1::text[], c.relname::text)`,
    [names],
  )

/** Rows of this organisation, or these of them. */
type Part = { where?: string | undefined }

const ownRows = (table: CopiedTable, org: string, { where = 'true' }: Part): string => {
  const ofOrg = (others[table.name] ?? 'org_id = :org').replaceAll(':org', `${quoteText(org)}::uuid`)
  return `from ${quoteName(table.name)} where ${ofOrg} and ${where}`
}

/**
 * Copies rows as text, value by value, so that each arrives as it was stored. Both sessions are in a transaction. Answers how
 * many there were.
 */
// crosses organisations: two databases, one organisation.
export const copyRows = async (
  { from, to }: { from: Session; to: Session },
  org: string,
  { table, where, skipKnown = false }: Part & { table: CopiedTable; skipKnown?: boolean },
): Promise<number> => {
  const names = table.columns.map(({ name }) => quoteName(name))
  const insert = `insert into ${quoteName(table.name)} (${names.join(', ')})
    select ${table.columns.map(({ type }, at) => `u.c${at}::${type}`).join(', ')}
      from unnest(${names.map((_, at) => `$${at + 1}::text[]`).join(', ')}) as u (${names.map((_, at) => `c${at}`).join(', ')})
      ${skipKnown ? 'on conflict do nothing' : ''}`
  const texts = table.columns.map(({ name }, at) => `${quoteName(name)}::text as c${at}`).join(', ')
  const portions = readPortions<Record<string, string | null>>(from, {
    columns: texts,
    bytes: names.map((name) => `coalesce(octet_length(${name}::text), 0)`).join(' + '),
    from: ownRows(table, org, { where }),
    max: serverBounds.rowsCopied,
  })
  let copied = 0
  for await (const rows of portions) {
    await to.change(
      insert,
      names.map((_, at) => textArray(rows.map((row) => row[`c${at}`] ?? null))),
    )
    copied += rows.length
  }
  return copied
}

const digestOf = (table: CopiedTable): string =>
  `count(*)::integer as rows,
   coalesce(sum(('x' || left(md5(row(${table.columns.map(({ name }) => quoteName(name)).join(', ')})::text), 15))::bit(60)::bigint), 0)::text as digest`

export const digestRows = async (db: Session, org: string, table: CopiedTable): Promise<RowsDigest> => {
  const [row] = await db.query<RowsDigest>(`select ${digestOf(table)} ${ownRows(table, org, {})}`)
  return row ?? { rows: 0, digest: '0' }
}

export const countRows = async (
  db: Session,
  org: string,
  { table, where }: Part & { table: CopiedTable },
): Promise<number> => {
  const [row] = await db.query<{ rows: number }>(`select count(*)::integer as rows ${ownRows(table, org, { where })}`)
  return row?.rows ?? 0
}

// The first ten characters of an id are four seconds of its time, and sixteen of a time are its minute.
const bucketOf = ({ partitionColumn }: CopiedTable): string => {
  if (partitionColumn === null) throw new Error('Only tables with partitions have buckets')
  const { name, type } = partitionColumn
  return `left(${quoteName(name)}::text, ${type === 'uuid' ? 10 : 16})`
}

export const digestBuckets = async (
  db: Session,
  org: string,
  { table, where }: Part & { table: CopiedTable },
): Promise<Map<Bucket, RowsDigest>> => {
  const rows = await db.query<RowsDigest & { bucket: Bucket }>(
    `select ${bucketOf(table)} as bucket, ${digestOf(table)} ${ownRows(table, org, { where })} group by 1`,
  )
  return new Map(rows.map(({ bucket, rows: count, digest }) => [bucket, { rows: count, digest }]))
}

/** The condition for rows of these buckets. */
// crosses organisations: builds a condition and reads no row.
export const inBuckets = (table: CopiedTable, buckets: readonly Bucket[]): string =>
  `${bucketOf(table)} = any (array[${buckets.map(quoteText).join(', ')}]::text[])`

export const deleteCopied = (
  db: Session,
  org: string,
  { table, where }: Part & { table: CopiedTable },
): Promise<number> => db.change(`delete ${ownRows(table, org, { where })}`)

/** Values have the same text in every session, whatever its server is set to. Until the end of the transaction. */
// crosses organisations: settings of the transaction, and no row.
export const settleFormats = async (db: Session): Promise<void> => {
  await db.query(
    `select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, MDY', true), set_config('IntervalStyle', 'postgres', true),
            set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`,
  )
}

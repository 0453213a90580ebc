import type pg from 'pg'
import type { ShortTransaction } from './short-transaction.ts'

/**
 * Builds the indexes of a migration without blocking writers, one partition at a time. A try that was interrupted leaves an
 * invalid index behind, which the next one replaces.
 */
export const buildIndexes = async (client: pg.Client, text: string, briefly: ShortTransaction): Promise<void> => {
  for (const index of readIndexes(text)) {
    const partitions = await listPartitions(client, index.table)
    if (partitions.length === 0) await buildOne(client, index.name, index)
    else await buildPartitioned(client, index, { partitions, briefly })
  }
}

type Index = { name: string; table: string; isUnique: boolean; columns: string }

const form = /^create( unique)? index ([a-z0-9_]+) on ([a-z0-9_]+) (.+)$/s

const readIndexes = (text: string): Index[] =>
  text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [, unique, name, table, columns] = form.exec(one) ?? []
      if (!name || !table || !columns) throw new Error(`Not of the form create index NAME on TABLE …: ${one}`)
      return { name, table, columns, isUnique: unique !== undefined }
    })

const listPartitions = async (client: pg.Client, table: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select child.relname as name from pg_inherits i join pg_class child on child.oid = i.inhrelid
      where i.inhparent = $1::regclass order by child.relname`,
    [table],
  )
  return rows.map(({ name }) => name)
}

// What locks out writers for a moment does not wait for its lock. A concurrent build locks nobody out and may wait.
const buildPartitioned = async (
  client: pg.Client,
  index: Index,
  { partitions, briefly }: { partitions: readonly string[]; briefly: ShortTransaction },
): Promise<void> => {
  await briefly(() =>
    client.query(`create${unique(index)} index if not exists ${index.name} on only ${index.table} ${index.columns}`),
  )
  for (const partition of partitions) {
    const name = `${partition}_${index.name}`
    if (await isAttached(client, name)) continue
    await buildOne(client, name, { ...index, table: partition })
    await briefly(() => client.query(`alter index ${index.name} attach partition ${name}`))
  }
}

const buildOne = async (client: pg.Client, name: string, index: Index): Promise<void> => {
  await client.query(`drop index concurrently if exists ${name}`)
  await client.query(`create${unique(index)} index concurrently ${name} on ${index.table} ${index.columns}`)
}

const isAttached = async (client: pg.Client, name: string): Promise<boolean> => {
  const { rowCount } = await client.query('select from pg_inherits where inhrelid = to_regclass($1)', [name])
  return rowCount === 1
}

const unique = ({ isUnique }: Index): string => (isUnique ? ' unique' : '')

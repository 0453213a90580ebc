import { asClient } from '@ars/testkit/client'
import type { TestDatabase } from '@ars/testkit/database'

export const plantedSecret = Buffer.from('a secret of the organisation')

type Column = { table: string; column: string; type: string; required: boolean; generated: boolean }

/** Every table with rows of organisations. */
export const listTenantTables = ({ superuserUrl }: TestDatabase): Promise<string[]> =>
  asClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      select c.relname as name from pg_class c
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
         and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
       order by 1`)
    return rows.map(({ name }) => name)
  })

/** Takes the checks, and the foreign keys if asked to, from all tables of organisations. */
export const dropConstraints = async (database: TestDatabase, kinds: readonly ('c' | 'f')[]): Promise<void> => {
  const tables = await listTenantTables(database)
  await asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ table: string; name: string }>(
      `select conrelid::regclass::text as table, conname as name from pg_constraint
        where conrelid = any ($1::regclass[]) and contype::text = any ($2) and conparentid = 0`,
      [tables, kinds],
    )
    for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint "${name}"`)
  })
}

/** A row of each organisation in every table, with values that only their types choose: constraints are not checked here. */
export const plantEverywhere = async (database: TestDatabase, orgs: readonly string[]): Promise<void> => {
  const tables = await listTenantTables(database)
  await dropConstraints(database, ['c'])
  await asClient(database.superuserUrl, async (client) => {
    const { rows: columns } = await client.query<Column>(`
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
             a.attnotnull as required, a.attgenerated <> '' as generated
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by a.attnum`)
    // Neither foreign keys nor triggers.
    await client.query('set session_replication_role = replica')
    for (const table of tables) {
      const own = columns.filter((each) => each.table === table && !each.generated)
      const wanted = own.filter(
        ({ column, type, required }) => required || type.startsWith('bytea') || column === 'org_id',
      )
      for (const [at, org] of orgs.entries()) {
        const values = wanted.map(({ column, type }) => (column === 'org_id' ? `'${org}'` : sample(type, at)))
        await client.query(
          `insert into ${table} (${wanted.map(({ column }) => `"${column}"`).join(', ')}) values (${values.join(', ')})`,
        )
      }
    }
  })
}

const sample = (type: string, at: number): string => {
  if (type === 'uuid') return `uuid_floor(app_now() + interval '${at} seconds')`
  if (type === 'uuid[]') return `'{}'`
  if (type === 'bytea') return `'\\x${plantedSecret.toString('hex')}'::bytea || '\\x0${at}'::bytea`
  if (type === 'bytea[]') return `array['\\x${plantedSecret.toString('hex')}'::bytea]`
  if (type.startsWith('timestamp')) return 'app_now()'
  if (type === 'date') return 'app_now()::date'
  if (type === 'boolean') return 'false'
  if (type.startsWith('json')) return `'{\n  "line": ${at}\n}'`
  if (type.endsWith('[]')) return `'{}'`
  if (type === 'text' || type.startsWith('character')) return `'text ${at}'`
  return String(at)
}

import { contract, type Operation } from '@ars/contract'
import type { App, CallOptions, Reply, Tenant } from '../app.ts'

/** Calls as one organisation. `planted`: operations with the fields that held the marker; `shown`: those whose responses did. */
export type Watched = {
  call(method: string, path: string, body?: object, options?: CallOptions): Promise<Reply>
  planted: Set<string>
  shown: Set<string>
}

export const watch = (app: App, { key }: Tenant, marker: string): Watched => {
  const planted = new Set<string>()
  const shown = new Set<string>()
  return {
    planted,
    shown,
    call: async (method, path, body, options = {}) => {
      for (const [field, value] of Object.entries(body ?? {}))
        if (JSON.stringify(value).includes(marker)) planted.add(`${operationOf(method, path)} ${field}`)
      const reply = await app.call(method, `/v2${path}`, { key, ...(body && { body }), ...options })
      if (reply.text.includes(marker)) shown.add(operationOf(method, path))
      return reply
    },
  }
}

const operations = Object.entries(contract).flatMap(([resource, all]) =>
  Object.entries<Operation>(all).map(([name, operation]) => ({ name: `${resource}.${name}`, ...operation })),
)

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** A path without parameters comes before one with them. */
const operationOf = (method: string, path: string): string => {
  const [plain = ''] = path.split('?')
  const fitting = operations.filter((operation) => operation.method === method && patternOf(operation.path).test(plain))
  const [first] = fitting.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
  return first?.name ?? `${method} ${path}`
}

/** The operations that read something. */
export const readingOperations = operations.filter(({ method }) => method === 'GET')

/** The columns of all tables in which rows of the organisation hold the marker. */
export const columnsWith = async (app: App, { org }: Tenant, marker: string): Promise<string[]> => {
  const columns = await app.query<{ table: string; column: string; type: string; owned: boolean }>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
            exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'org_id' and not o.attisdropped) as owned
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and format_type(a.atttypid, null) in ('text', 'json', 'jsonb', 'text[]', 'bytea', 'character varying')
      order by 1, 2`,
  )
  const byTable = Map.groupBy(columns, ({ table }) => table)
  const found = await Promise.all(
    [...byTable].map(async ([table, own]) => {
      const tests = own.map(({ column, type }) => {
        const text = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`
        return `coalesce(bool_or(position($1 in ${text}) > 0), false) as ${column}`
      })
      const isOwned = own[0]?.owned
      const [row = {}] = await app.query<Record<string, boolean>>(
        `select ${tests.join(', ')} from ${table} t ${isOwned ? 'where t.org_id = $2' : ''}`,
        isOwned ? [marker, org] : [marker],
      )
      return own.flatMap(({ column }) => (row[column] ? [`${table}.${column}`] : []))
    }),
  )
  return found.flat()
}

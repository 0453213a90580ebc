import { contract, type Operation } from '@ars/contract'
import { expect } from 'vitest'
import type { App, CallOptions, Reply, Tenant } from '../app.ts'

/** Calls as one organisation. `planted`: operations with the fields that held the marker; `shown`: those whose responses did. */
export type Watched = {
  call(method: string, path: string, body?: object, options?: CallOptions): Promise<Reply>
  /** A call that is refused. The refusal may quote what the caller has sent. */
  refused(method: string, path: string, body?: object, options?: CallOptions): Promise<void>
  planted: Set<string>
  shown: Set<string>
}

type Told = { word: string; shown: Set<string> }

/** `others` note in their `shown` what the responses show of their words. */
export const watch = (app: App, { key }: Tenant, marker: string, others: readonly Told[] = []): Watched & Told => {
  const planted = new Set<string>()
  const shown = new Set<string>()
  const send = async (method: string, path: string, body?: object, options: CallOptions = {}): Promise<Reply> => {
    const fields = { ...body, ...fieldsOfPath(method, path) }
    for (const [field, value] of Object.entries(fields))
      if (JSON.stringify(value).includes(marker)) planted.add(`${operationOf(method, path)} ${field}`)
    for (const [header, value] of Object.entries(options.headers ?? {})) if (value.includes(marker)) planted.add(header)
    return app.call(method, `/v2${path}`, { key, ...(body && { body }), ...options })
  }
  return {
    word: marker,
    planted,
    shown,
    call: async (method, path, body, options) => {
      const reply = await send(method, path, body, options)
      for (const told of [{ word: marker, shown }, ...others])
        if (reply.text.includes(told.word)) told.shown.add(operationOf(method, path))
      return reply
    },
    refused: async (method, path, body, options) => {
      const { status, text } = await send(method, path, body, options)
      expect([400, 401, 403, 404, 422], `${path}: ${text.slice(0, 500)}`).toContain(status)
    },
  }
}

const operations = Object.entries(contract).flatMap(([resource, all]) =>
  Object.entries<Operation>(all).map(([name, operation]) => ({ name: `${resource}.${name}`, ...operation })),
)

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

/** A path without parameters comes before one with them. */
const operationAt = (method: string, path: string) => {
  const [plain = ''] = path.split('?')
  const fitting = operations.filter((operation) => operation.method === method && patternOf(operation.path).test(plain))
  return fitting.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
}

const operationOf = (method: string, path: string): string => operationAt(method, path)?.name ?? `${method} ${path}`

/** The parameters of path and query. `metadata[key]` belongs to the field `metadata`. */
const fieldsOfPath = (method: string, path: string): Record<string, string> => {
  const [plain = '', query = ''] = path.split('?')
  const named = patternOf(operationAt(method, path)?.path ?? '').exec(plain)?.groups
  const asked = [...new URLSearchParams(query)].map(([name, value]) => [name.split('[')[0], name + value])
  return { ...named, ...Object.fromEntries(asked) }
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
        and format_type(a.atttypid, null) !~ '^(uuid|timestamp|date|interval|boolean|smallint|integer|bigint|numeric|real|double|inet|tsvector|xid)'
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

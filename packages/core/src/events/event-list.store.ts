import type { EventType } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import type { Statement } from '@ars/platform/db/statement'
import { type Bounds, type IdRange, stretchesOf } from '../id-range.ts'
import { eventColumns } from './event.store.ts'
import type { EventRow } from './event.ts'
import { readInOrder } from './event-order.store.ts'

export type EventPage = Bounds & {
  /** One beyond the size of the page. */
  limit: number
  /** Null: of all types. */
  types: readonly EventType[] | null
}

/** `isCut`: there is more, although the page is not full. */
export type EventRows = { rows: EventRow[]; isCut: boolean }

// Of what is stored with the events, which may be compressed.
const storedBytesMost = 1_048_576

/**
 * Newest first, without tests; `before` reads towards the newer ones, and is turned round again by the caller. It is looked
 * for stretch by stretch, as runs are: a statement that names the range of its ids opens the partitions of that range.
 */
export const listEvents = async (db: Database, org: string, page: EventPage, now: Date): Promise<EventRows> => {
  const rows: EventRow[] = []
  for (const stretch of stretchesOf(page, now)) {
    const limit = page.limit - rows.length
    if (limit === 0) break
    const found = await readInOrder<EventRow & { found: number }>(db, org, list({ org, page, range: stretch, limit }))
    rows.push(...found.map(({ found: _, ...row }) => row))
    if (found.length < (found[0]?.found ?? 0)) return { rows, isCut: true }
  }
  return { rows, isCut: false }
}

type Asked = { org: string; page: EventPage; range: IdRange; limit: number }
type Sql = RawBuilder<unknown>

const list = (asked: Asked): Statement => {
  const { page } = asked
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  const types = page.types && [...new Set(page.types)]
  const branches = (types ?? [null]).map((type) => sql`(${branchOf(asked, type)})`)
  const query = sql`select ${sql.raw(eventColumns)}, found
    from (
      select ${sql.raw(eventColumns)}, (count(*) over ())::integer as found,
             coalesce(sum(pg_column_size(data)) over (order by id ${order} rows between unbounded preceding and 1 preceding), 0) as before
        from (
          select ${sql.raw(eventColumns)} from (${sql.join(branches, sql` union all `)}) found order by id ${order} limit ${asked.limit}
        ) chosen
    ) sized
    where before < ${storedBytesMost} order by id ${order}`
  return named(page, toStatement(query))
}

/** Each type by itself, because each is then read in order: from an index of the rare types, or from that of all events. */
const branchOf = ({ org, page, range, limit }: Asked, type: EventType | null): Sql => {
  const conditions = [
    sql`org_id = ${org}`,
    sql`id > ${range.from}`,
    sql`id < ${range.to}`,
    sql`webhook_id is null`,
    type && sql`type = ${type}`,
    // It is by this that the index of the rare types is known to be enough.
    type && type !== 'run.completed' && sql`type <> 'run.completed'`,
    // A date is shown to the millisecond and kept to the microsecond: an event must not come after the date that it shows.
    page.createdAfter && sql`created_at >= ${new Date(page.createdAfter.getTime() + 1)}`,
    page.createdBefore && sql`created_at < ${page.createdBefore}`,
  ].filter((condition): condition is Sql => typeof condition === 'object' && condition !== null)
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  return sql`select ${sql.raw(eventColumns)} from events
    where ${sql.join(conditions, sql` and `)} order by id ${order} limit ${limit}`
}

/** Planning takes longer than reading a page, so lists of a usual shape are prepared by name; there are many other shapes. */
const named = (page: EventPage, unnamed: Statement): Statement => {
  if ((page.types?.length ?? 0) > 1) return unnamed
  const isRare = page.types?.[0] !== undefined && page.types[0] !== 'run.completed'
  const filters = [
    page.types && (isRare ? 'rare type' : 'type'),
    page.createdAfter && 'created_after',
    page.createdBefore && 'created_before',
  ].filter(Boolean)
  return { ...unnamed, name: ['events.list', page.before === null ? 'desc' : 'asc', ...filters].join(' ') }
}

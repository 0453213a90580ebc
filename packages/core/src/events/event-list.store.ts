import type { EventType } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import type { Statement } from '@ars/platform/db/statement'
import { type Bounds, type IdRange, stretchesOf } from '@ars/platform/id-range'
import { eventsBounds } from './bounds.ts'
import { eventColumns } from './event.store.ts'
import type { EventRow } from './event.ts'
import { readInOrder } from './event-order.store.ts'

export type EventPage = Bounds & {
  /** The size of the page plus one. */
  limit: number
  /** Null: all types. */
  types: readonly EventType[] | null
}

/** `isCut`: there are more events, although the page is not full. */
export type EventRows = { rows: EventRow[]; isCut: boolean }

// The stored size of the data, which may be compressed.
const maxStoredBytes = eventsBounds.storedPage.bytes

/**
 * Newest first, without tests. With `before` the order is oldest first, and the caller reverses it. Ranges of ids are read
 * one after the other, as for runs: a statement with a range of ids opens only the partitions of that range.
 */
export const listEvents = async (db: Database, org: string, page: EventPage, now: Date): Promise<EventRows> => {
  const rows: EventRow[] = []
  for (const stretch of stretchesOf(page, now)) {
    const limit = page.limit - rows.length
    if (limit === 0) break
    const found = await readInOrder(db, org, list({ org, page, range: stretch, limit }))
    rows.push(...found.map(({ found: _, ...row }) => row))
    if (found.length < (found[0]?.found ?? 0)) return { rows, isCut: true }
  }
  return { rows, isCut: false }
}

type Asked = { org: string; page: EventPage; range: IdRange; limit: number }
type Sql = RawBuilder<unknown>

const list = (asked: Asked): Statement<EventRow & { found: number }> => {
  const { page } = asked
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  const types = page.types && [...new Set(page.types)]
  const branches = (types ?? [null]).map((type) => dynamicSql`(${branchOf(asked, type)})`)
  const query = dynamicSql`select ${dynamicSql.raw(eventColumns)}, found
    from (
      select ${dynamicSql.raw(eventColumns)}, (count(*) over ())::integer as found,
             coalesce(sum(pg_column_size(data)) over (order by id ${order} rows between unbounded preceding and 1 preceding), 0) as before
        from (
          select ${dynamicSql.raw(eventColumns)} from (${dynamicSql.join(branches, dynamicSql` union all `)}) found order by id ${order} limit ${asked.limit}
        ) chosen
    ) sized
    where before < ${maxStoredBytes} order by id ${order}`
  return named(page, toStatement(query))
}

/** Each type is a separate branch, so that it is read in order: from the index of rare types, or from that of all events. */
const branchOf = ({ org, page, range, limit }: Asked, type: EventType | null): Sql => {
  const conditions = [
    dynamicSql`org_id = ${org}`,
    dynamicSql`id > ${range.from}`,
    dynamicSql`id < ${range.to}`,
    dynamicSql`webhook_id is null`,
    type && dynamicSql`type = ${type}`,
    // With this condition the planner can use the partial index of rare types.
    type && type !== 'run.completed' && dynamicSql`type <> 'run.completed'`,
    // Dates are shown in milliseconds and stored in microseconds: an event must not be later than the date that it shows.
    page.createdAfter && dynamicSql`created_at >= ${new Date(page.createdAfter.getTime() + 1)}`,
    page.createdBefore && dynamicSql`created_at < ${page.createdBefore}`,
  ].filter((condition): condition is Sql => typeof condition === 'object' && condition !== null)
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  return dynamicSql`select ${dynamicSql.raw(eventColumns)} from events
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by id ${order} limit ${limit}`
}

/** Planning takes longer than reading a page, so frequent shapes of a list are prepared by name. There are many others. */
const named = <Row>(page: EventPage, unnamed: Statement<Row>): Statement<Row> => {
  if ((page.types?.length ?? 0) > 1) return unnamed
  const isRare = page.types?.[0] !== undefined && page.types[0] !== 'run.completed'
  const filters = [
    page.types && (isRare ? 'rare type' : 'type'),
    page.createdAfter && 'created_after',
    page.createdBefore && 'created_before',
  ].filter(Boolean)
  return { ...unnamed, name: ['events.list', page.before === null ? 'desc' : 'asc', ...filters].join(' ') }
}

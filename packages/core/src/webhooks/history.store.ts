import type { Delivery as WireDelivery } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { type Statement, statement } from '@ars/platform/db/statement'
import type { IdRange } from '../id-range.ts'
import type { Attempt, Delivery } from './delivery.ts'

export type DeliveryPage = {
  webhookId: string
  status: WireDelivery['status'] | null
  eventId: string | null
  eventType: string | null
  createdAfter: Date | null
  createdBefore: Date | null
  ids: IdRange
  order: 'asc' | 'desc'
  limit: number
}

/** In the order that was asked for, with the attempts of all of them. */
export const listDeliveries = async (
  db: Database,
  org: string,
  page: DeliveryPage,
): Promise<{ deliveries: Delivery[]; attempts: Attempt[] }> => {
  const deliveries = await db.once<Delivery>(org, list(org, page))
  const ids = deliveries.map(({ id }) => id).toSorted()
  const attempts = ids.length === 0 ? [] : await db.once<Attempt>(org, attemptsOf(org, ids, ids[0], ids.at(-1)))
  return { deliveries, attempts }
}

/** With its attempts and with what was sent, to the byte; `body` is null before the first attempt and when it was erased. */
export const findDelivery = async (
  db: Database,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<{ delivery: Delivery; attempts: Attempt[]; body: string | null } | null> => {
  const [found, attempts] = (await db.batch(org, [
    findWithBody(org, webhookId, id),
    attemptsOf(org, [id], id, id),
  ])) as [(Delivery & { body: string | null })[], Attempt[]]
  const [row] = found
  if (!row) return null
  const { body, ...delivery } = row
  return { delivery, attempts, body }
}

/** What is sent again; null: there is no such delivery, or its event is no longer kept. */
export const readSent = async (
  tx: Tx,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<{ event_id: string; event_type: string } | null> => {
  const [row] = await tx.query<{ event_id: string; event_type: string }>(sent(org, webhookId, id))
  return row ?? null
}

// What is due while the endpoint rests waits for the end of the rest.
const columns = `d.id, d.webhook_id, d.event_id, d.event_type, d.status, d.source, d.error, d.created_at, d.ended_at,
  case when h.lease_until is null then greatest(h.due_at, l.rest_until) end as next_attempt_at`
const beside = `left join delivery_heads h on h.org_id = d.org_id and h.delivery_id = d.id
  left join webhook_lanes l on l.org_id = h.org_id and l.webhook_id = h.webhook_id`

const list = (org: string, page: DeliveryPage): Statement => {
  const { webhookId, status, eventId, eventType, createdAfter, createdBefore, ids, limit } = page
  const conditions = [
    sql`d.org_id = ${org}`,
    sql`d.webhook_id = ${webhookId}`,
    sql`d.id > ${ids.from}`,
    sql`d.id < ${ids.to}`,
    // The partitions of the weeks to come are there already, and need not be opened.
    sql`d.id < uuid_floor(app_now() + interval '1 day')`,
    status && (status === 'failed' ? sql`d.status = 'failed'` : sql`d.status = ${status}`),
    eventId && sql`d.event_id = ${eventId}`,
    eventType && sql`d.event_type = ${eventType}`,
    createdAfter && sql`d.created_at >= ${nextMillisecond(createdAfter)}`,
    createdBefore && sql`d.created_at < ${createdBefore}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = sql.raw(page.order)
  // Those that are pending have heads, and heads are few beside a month of deliveries.
  const source =
    status === 'pending'
      ? sql`(select p.delivery_id from delivery_heads p where p.org_id = ${org} and p.webhook_id = ${webhookId}
              and p.delivery_id > ${ids.from} and p.delivery_id < ${ids.to}) p
            join deliveries d on d.id = p.delivery_id`
      : sql`deliveries d`
  const query = sql`select ${sql.raw(columns)}
    from (select d.id, d.org_id, d.webhook_id, d.event_id, d.event_type, d.status, d.source, d.error, d.created_at, d.ended_at
            from ${source} where ${sql.join(conditions, sql` and `)} order by d.id ${order} limit ${limit}) d
    ${sql.raw(beside)} order by d.id ${order}`
  return named(page, toStatement(query))
}

/** Planning over all partitions takes longer than reading a page, so lists of a usual shape are prepared by name. */
const named = (page: DeliveryPage, unnamed: Statement): Statement => {
  const filters = [
    page.status,
    page.eventId && 'event',
    page.eventType && 'type',
    page.createdAfter && 'created_after',
    page.createdBefore && 'created_before',
  ].filter((filter) => filter !== null)
  return filters.length > 1 ? unnamed : { ...unnamed, name: ['deliveries.list', page.order, ...filters].join(' ') }
}

/** A date is shown to the millisecond and kept to the microsecond: none must come after the date that it shows. */
const nextMillisecond = (date: Date): Date => new Date(date.getTime() + 1)

const findWithBody = statement(
  'deliveries.find',
  `select ${columns}, b.body
     from deliveries d ${beside}
     left join event_bodies b on b.org_id = d.org_id and b.event_id = d.event_id
    where d.org_id = $1 and d.webhook_id = $2 and d.id = $3`,
)

const sent = statement(
  'deliveries.sent',
  `select d.event_id, d.event_type from deliveries d join events e on e.org_id = d.org_id and e.id = d.event_id
    where d.org_id = $1 and d.webhook_id = $2 and d.id = $3`,
)

// The bounds name the days; the list of ids alone does not.
const attemptsOf = statement(
  'deliveries.attempts',
  `select delivery_id, number, at, duration_ms, http_status, error, request_headers, response_headers, response_body
     from delivery_attempts
    where org_id = $1 and delivery_id = any ($2::uuid[]) and delivery_id >= $3 and delivery_id <= $4
    order by delivery_id, number`,
)

import type { Delivery as WireDelivery } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type IdRange, idBounds } from '@ars/platform/id-range'
import type { Attempt, Delivery, EndpointStanding } from '../webhook/delivery.ts'

type ShownDelivery = Delivery & EndpointStanding

export type DeliveryPage = {
  webhookId: string
  statuses: readonly WireDelivery['status'][] | null
  eventId: string | null
  eventTypes: readonly string[] | null
  createdAfter: Date | null
  createdBefore: Date | null
  ids: IdRange
  order: 'asc' | 'desc'
  limit: number
}

/** In the requested order, with the attempts of all deliveries. */
export const listDeliveries = async (
  db: Database,
  org: string,
  page: DeliveryPage,
): Promise<{ deliveries: ShownDelivery[]; attempts: Attempt[] }> => {
  const deliveries = await db.once(org, list(org, page))
  const ids = deliveries.map(({ id }) => id)
  const attempts = ids.length === 0 ? [] : await db.once(org, attemptsOf({ org, ids, ...idBounds(ids) }))
  return { deliveries, attempts }
}

/** A delivery with its attempts and the exact bytes that were sent. `body` is null before the first attempt and after an erasure. */
export const findDelivery = async (
  db: Database,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<{ delivery: ShownDelivery; attempts: Attempt[]; body: string | null } | null> => {
  const [found, attempts] = await db.batch(org, [
    findWithBody({ org, webhookId, id }),
    attemptsOf({ org, ids: [id], ...idBounds([id]) }),
  ])
  const [row] = found
  if (!row) return null
  const { body, ...delivery } = row
  return { delivery, attempts, body }
}

/** The event of a delivery, to send it again. Null: no delivery with this id has an event that is still stored. */
export const readSent = async (
  tx: Tx,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<{ event_id: string; event_type: string } | null> => {
  const [row] = await tx.query(sent({ org, webhookId, id }))
  return row ?? null
}

// A delivery that is due while the endpoint is paused waits for the end of the pause.
const columns = `d.id, d.webhook_id, d.event_id, d.event_type, d.status, d.source, d.error, d.created_at, d.ended_at,
  case when h.lease_until is null then greatest(h.due_at, l.rest_until) end as next_attempt_at, h.lease_until is not null as is_in_flight,
  h.due_at, h.due_at <= app_now() as is_due, l.waiting as endpoint_waiting, l.under_way as endpoint_under_way,
  case when l.rest_until > app_now() then l.rest_until end as paused_until`
const beside = `left join delivery_heads h on h.org_id = d.org_id and h.delivery_id = d.id
  left join webhook_lanes l on l.org_id = h.org_id and l.webhook_id = h.webhook_id`

const list = (org: string, page: DeliveryPage): Statement<ShownDelivery> => {
  const { webhookId, statuses, eventId, eventTypes, createdAfter, createdBefore, ids, limit } = page
  const conditions = [
    dynamicSql`d.org_id = ${org}`,
    dynamicSql`d.webhook_id = ${webhookId}`,
    dynamicSql`d.id > ${ids.from}`,
    dynamicSql`d.id < ${ids.to}`,
    // The partitions of the next weeks exist already and need not be opened.
    dynamicSql`d.id < uuid_floor(app_now() + interval '1 day')`,
    statuses && statusCondition(statuses),
    eventId && dynamicSql`d.event_id = ${eventId}`,
    eventTypes && dynamicSql`d.event_type = any (${[...eventTypes]}::text[])`,
    createdAfter && dynamicSql`d.created_at >= ${nextMillisecond(createdAfter)}`,
    createdBefore && dynamicSql`d.created_at < ${createdBefore}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.order)
  // Pending deliveries have heads, and heads are few compared with a month of deliveries.
  const source =
    onlyOf(statuses) === 'pending'
      ? dynamicSql`(select p.delivery_id from delivery_heads p where p.org_id = ${org} and p.webhook_id = ${webhookId}
              and p.delivery_id > ${ids.from} and p.delivery_id < ${ids.to}) p
            join deliveries d on d.id = p.delivery_id`
      : dynamicSql`deliveries d`
  const query = dynamicSql`select ${dynamicSql.raw(columns)}
    from (select d.id, d.org_id, d.webhook_id, d.event_id, d.event_type, d.status, d.source, d.error, d.created_at, d.ended_at
            from ${source} where ${dynamicSql.join(conditions, dynamicSql` and `)} order by d.id ${order} limit ${limit}) d
    ${dynamicSql.raw(beside)} order by d.id ${order}`
  return named(page, toStatement<ShownDelivery>(query))
}

const onlyOf = (statuses: DeliveryPage['statuses']) => (statuses?.length === 1 ? statuses[0] : undefined)

/** A literal for one state, so that the index of failed deliveries fits. */
const statusCondition = (statuses: readonly WireDelivery['status'][]): RawBuilder<unknown> => {
  const only = onlyOf(statuses)
  if (only === undefined) return dynamicSql`d.status = any (${[...statuses]}::text[])`
  return only === 'failed' ? dynamicSql`d.status = 'failed'` : dynamicSql`d.status = ${only}`
}

/** Planning over all partitions takes longer than reading a page, so frequent shapes of a list are prepared by name. */
const named = <Row>(page: DeliveryPage, unnamed: Statement<Row>): Statement<Row> => {
  const filters = [
    page.statuses && (onlyOf(page.statuses) ?? 'statuses'),
    page.eventId && 'event',
    page.eventTypes && 'types',
    page.createdAfter && 'created_after',
    page.createdBefore && 'created_before',
  ].filter((filter) => filter !== null)
  return filters.length > 1 ? unnamed : { ...unnamed, name: ['deliveries.list', page.order, ...filters].join(' ') }
}

/** Dates are shown in milliseconds and stored in microseconds: none may be later than the date that it shows. */
const nextMillisecond = (date: Date): Date => new Date(date.getTime() + 1)

const findWithBody = statement<{ org: Uuid; webhookId: Uuid; id: Uuid }, ShownDelivery & { body: string | null }>(
  'deliveries.find',
  sql`select ${columns}, b.body
     from deliveries d ${beside}
     left join event_bodies b on b.org_id = d.org_id and b.event_id = d.event_id
    where d.org_id = :org and d.webhook_id = :webhookId and d.id = :id`,
)

const sent = statement<{ org: Uuid; webhookId: Uuid; id: Uuid }, { event_id: string; event_type: string }>(
  'deliveries.sent',
  sql`select d.event_id, d.event_type from deliveries d join events e on e.org_id = d.org_id and e.id = d.event_id
    where d.org_id = :org and d.webhook_id = :webhookId and d.id = :id`,
)

// The bounds select the partitions; the list of ids alone does not.
const attemptsOf = statement<{ org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }, Attempt>(
  'deliveries.attempts',
  sql`select delivery_id, number, at, duration_ms, http_status, error, request_headers, response_headers, response_body
     from delivery_attempts
    where org_id = :org and delivery_id = any (:ids::uuid[]) and delivery_id >= :firstId and delivery_id <= :lastId
    order by delivery_id, number`,
)

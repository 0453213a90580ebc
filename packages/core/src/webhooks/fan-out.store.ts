import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { statement } from '@ars/platform/db/statement'

/** How far an organisation's events have been given their places. */
export type Told = { org_id: string; position: number; events: number; deliveries: number }

/** Events that are given their places in one transaction. */
export const eventsPerBatch = 500

/**
 * Gives the events that have been committed since the last time their places, and makes the deliveries of each. One at a time:
 * null says that somebody else is doing it. The events are read by a later statement than the lock, and so by a snapshot that
 * holds all that the one before has done.
 */
// crosses organisations: events of all of them are put into one order, by whoever holds the clock.
export const tellEvents = (db: Database): Promise<Told[] | null> =>
  db.transaction(null, async (tx) => {
    const [, [clock], events] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query<{ position: string }>(lockClock()),
      tx.query<{ id: string }>(untold()),
    ])
    if (!clock) return null
    if (events.length === 0) return []
    const ids = events.map(({ id }) => id)
    const told = await tx.query<ToldRow>(tell(ids, ids[0], ids.at(-1), clock.position))
    return told.map(({ position, ...row }) => ({ ...row, position: Number(position) }))
  })

// crosses organisations: whether there is anything to tell, before the clock is locked for it.
export const hasUntold = async (db: Database): Promise<boolean> => {
  const [, [row]] = (await db.batch(null, [preferIndexes(), isThere()])) as [unknown[], { is_there: boolean }[]]
  return row?.is_there ?? false
}

// crosses organisations: figures for the operator.
export const countUntold = async (db: Database): Promise<number> => {
  const [, [row]] = (await db.batch(null, [preferIndexes(), count()])) as [unknown[], { events: number }[]]
  return row?.events ?? 0
}

type ToldRow = Omit<Told, 'position'> & { position: string }

const tooMany = `More than ${limits.deliveriesWaitingPerWebhook} deliveries wait for this endpoint; recover it later`

const lockClock = statement('fan_out.lock_clock', 'select position from event_clock for update skip locked')

const untold = statement(
  'fan_out.untold',
  `select id from events where position is null order by id limit ${eventsPerBatch}`,
)

const isThere = statement('fan_out.is_there', 'select exists (select from events where position is null) as is_there')

const count = statement('fan_out.count', 'select count(*)::integer as events from events where position is null')

// The lanes are locked in the order of their ids, as everybody does, and what waits is counted on what the lock has found.
const tell = statement(
  'fan_out.tell',
  `with told as (
     update events e set position = $4::bigint + u.n
       from unnest($1::uuid[]) with ordinality as u (id, n)
      where e.id = u.id and e.id >= $2 and e.id <= $3
     returning e.id, e.org_id, e.type, e.created_at, e.webhook_id, e.position
   ), clock as (
     update event_clock set position = $4::bigint + cardinality($1::uuid[])
   ), matched as (
     select t.id as event_id, t.org_id, t.type, w.id as webhook_id,
            row_number() over (partition by w.id order by t.position) as n
       from told t join webhooks w on w.org_id = t.org_id
      where t.webhook_id is null and w.disabled_at is null and w.created_at <= t.created_at
        and w.events && array[t.type, '*']
   ), lanes as (
     select l.webhook_id, l.waiting from webhook_lanes l
      where l.webhook_id in (select webhook_id from matched)
      order by l.webhook_id for update
   ), placed as (
     select new_uuid() as delivery_id, m.event_id, m.org_id, m.type, m.webhook_id,
            l.waiting + m.n <= ${limits.deliveriesWaitingPerWebhook} as fits
       from matched m join lanes l on l.webhook_id = m.webhook_id
   ), heads as (
     insert into delivery_heads (delivery_id, org_id, webhook_id, event_id, due_at)
     select delivery_id, org_id, webhook_id, event_id, app_now() from placed where fits
   ), made as (
     insert into deliveries (id, org_id, webhook_id, event_id, event_type, source, status, error, ended_at)
     select delivery_id, org_id, webhook_id, event_id, type, 'event', case when fits then 'pending' else 'failed' end,
            case when not fits then '${tooMany}' end, case when not fits then app_now() end
       from placed
   ), raised as (
     update webhook_lanes l
        set waiting = l.waiting + p.fitting,
            -- Of one that is full nothing may be done until a place comes free, and whoever frees it says so.
            due_at = case when l.under_way < ${limits.deliveriesUnderWayPerWebhook}
              then least(l.due_at, greatest(app_now(), l.rest_until)) else l.due_at end
       from (select webhook_id, count(*)::integer as fitting from placed where fits group by webhook_id) p
      where l.webhook_id = p.webhook_id
   )
   select t.org_id, max(t.position) as position, count(*)::integer as events,
          (select count(*)::integer from placed p where p.org_id = t.org_id) as deliveries
     from told t group by t.org_id`,
)

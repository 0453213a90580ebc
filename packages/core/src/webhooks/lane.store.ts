import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { statement } from '@ars/platform/db/statement'

/** One attempt that this worker has begun: everything that it needs to be sent. Its number is committed. */
export type Claimed = {
  delivery_id: string
  org_id: string
  webhook_id: string
  event_id: string
  number: number
  begun_at: Date
  source: 'event' | 'test' | 'redelivery' | 'recovery'
  url: string
  /** Sealed. The old one is there while it still counts. */
  secret: Buffer
  old_secret: Buffer | null
}

export type Wanted = {
  /** How many attempts may be begun. */
  places: number
  /** How many of them may be one organisation's. */
  perOrg: number
  /** Less than that, where an organisation has some under way already. */
  left: ReadonlyMap<string, number>
}

/** How long whoever has begun an attempt may take until it is closed by another. The request itself has 10 s. */
export const leaseMs = 15_000

/**
 * Begins attempts that are due: at most 10 under way per endpoint, and turn by turn over organisations, then over the
 * endpoints of each. The lanes are locked first, and nobody waits for a lock: what is locked is looked at the next time. What
 * is due in them is read by a second statement, whose snapshot holds all that was committed before the locks.
 */
// crosses organisations: what is due is looked for in all of them, and each gets its turn.
export const claimAttempts = (db: Database, { places, perOrg, left }: Wanted): Promise<Claimed[]> =>
  db.transaction(null, async (tx) => {
    const full = [...left].filter(([, count]) => count <= 0).map(([org]) => org)
    const [, lanes] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query<{ webhook_id: string }>(lockLanes(places, full)),
    ])
    if (lanes.length === 0) return []
    const allowances = JSON.stringify([...left].map(([org_id, count]) => ({ org_id, count })))
    const ids = lanes.map(({ webhook_id }) => webhook_id)
    return tx.query<Claimed>(begin(ids, places, perOrg, allowances, leaseMs))
  })

// crosses organisations: attempts whose worker must be dead, whoever they were for.
export const listOrphans = (db: Database, limit: number): Promise<Orphan[]> => db.once(null, orphans(limit))

export type Orphan = { delivery_id: string; webhook_id: string; number: number }

// crosses organisations: figures for the operator.
export const countWaiting = async (db: Database): Promise<{ waiting: number; underWay: number }> => {
  const [row] = await db.once<{ waiting: number; under_way: number }>(null, count())
  return { waiting: row?.waiting ?? 0, underWay: row?.under_way ?? 0 }
}

const underWayMost = limits.deliveriesUnderWayPerWebhook
// Of the lanes that are due, the oldest: more than one worker has places for.
const lanesLookedAt = 1000
// Of a disabled endpoint nothing is due. What waits there is ended by a sweep; should it be enabled before, it is looked at again.
const disabledAgainSeconds = 5

const lockLanes = statement(
  'lanes.lock',
  `with due as (
     select webhook_id, due_at, row_number() over (partition by org_id order by due_at) as turn
       from (select webhook_id, org_id, due_at from webhook_lanes
              where due_at <= app_now() and under_way < ${underWayMost} and org_id <> all ($2::uuid[])
              order by due_at limit ${lanesLookedAt}) oldest
   ), chosen as (
     select webhook_id from due order by turn, due_at limit $1
   )
   select l.webhook_id from webhook_lanes l
    where l.webhook_id in (select webhook_id from chosen) and l.due_at <= app_now() and l.under_way < ${underWayMost}
    order by l.webhook_id for update skip locked`,
)

const begin = statement(
  'lanes.begin',
  `with lane as (
     select l.webhook_id, l.org_id, l.under_way, w.disabled_at is not null as is_disabled,
            case when l.rest_until > app_now() then l.rest_until end as rests_until
       from webhook_lanes l join webhooks w on w.id = l.webhook_id
      where l.webhook_id = any ($1::uuid[])
   ), ready as (
     select h.delivery_id, lane.webhook_id, lane.org_id,
            row_number() over (partition by lane.org_id order by h.n, h.due_at) as turn
       from lane cross join lateral (
         select delivery_id, due_at, row_number() over (order by due_at, event_id) as n
           from (select delivery_id, due_at, event_id from delivery_heads
                  where webhook_id = lane.webhook_id and lease_until is null and due_at <= app_now()
                  order by due_at, event_id limit ${underWayMost} - lane.under_way) oldest
       ) h
      where not lane.is_disabled and lane.rests_until is null
   ), taken as (
     select r.delivery_id, r.webhook_id
       from ready r left join json_to_recordset($4::json) as a (org_id uuid, count integer) on a.org_id = r.org_id
      where r.turn <= coalesce(a.count, $3::integer)
      order by r.turn limit $2
   ), begun as (
     update delivery_heads h
        set number = h.number + 1, begun_at = app_now(),
            lease_until = app_now() + make_interval(secs => $5::double precision / 1000)
       from taken t where h.delivery_id = t.delivery_id
     returning h.delivery_id, h.org_id, h.webhook_id, h.event_id, h.number, h.begun_at
   ), counted as (
     select lane.webhook_id, lane.is_disabled, lane.rests_until, coalesce(t.begun, 0) as begun
       from lane left join (select webhook_id, count(*)::integer as begun from taken group by webhook_id) t
         on t.webhook_id = lane.webhook_id
   ), next as materialized (
     -- What was taken is the first of its lane; the one after it is the next.
     select c.webhook_id, c.is_disabled, c.rests_until, c.begun,
            (select h.due_at from delivery_heads h where h.webhook_id = c.webhook_id and h.lease_until is null
              order by h.due_at limit 1 offset c.begun) as next_due_at
       from counted c
   ), lanes as (
     update webhook_lanes l
        set under_way = l.under_way + c.begun,
            due_at = case when c.next_due_at is null or l.under_way + c.begun >= ${underWayMost} then null
              when c.is_disabled then app_now() + interval '${disabledAgainSeconds} seconds'
              else greatest(c.next_due_at, c.rests_until) end
       from next c where l.webhook_id = c.webhook_id
   )
   select b.delivery_id, b.org_id, b.webhook_id, b.event_id, b.number, b.begun_at, w.url, w.secret,
          case when w.old_secret_until > app_now() then w.old_secret end as old_secret,
          (select d.source from deliveries d where d.id = b.delivery_id) as source
     from begun b join webhooks w on w.id = b.webhook_id
    order by b.event_id`,
)

const orphans = statement(
  'lanes.orphans',
  `select delivery_id, webhook_id, number from delivery_heads
    where lease_until <= app_now() order by lease_until limit $1`,
)

const count = statement(
  'lanes.count',
  `select coalesce(sum(waiting), 0)::integer as waiting, coalesce(sum(under_way), 0)::integer as under_way
     from webhook_lanes where waiting > 0`,
)

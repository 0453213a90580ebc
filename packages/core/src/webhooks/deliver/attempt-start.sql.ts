import { limits } from '@ars/contract'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'

/** An attempt that this worker has started, with everything needed to send it. Its number is committed. */
export type Claimed = StartedAttempt & DeliverySubject

export type StartedAttempt = {
  delivery_id: string
  org_id: string
  webhook_id: string
  event_id: string
  number: number
  begun_at: Date
  /** How long it was due. */
  lag_ms: number
  url: string
  /** Encrypted. The old secret is present while it is still valid. */
  secret: Buffer
  old_secret: Buffer | null
}

/** What a delivery is about. */
export type DeliverySubject = {
  source: 'event' | 'test' | 'redelivery' | 'recovery'
  /** The event did not happen: someone asked for it. */
  is_test: boolean
  /** The run that the event is about. Null: it is about something else, or it is a test. */
  run_id: string | null
  /** Of the run that the event is about. Null: it is in no trace, or nothing is traced. */
  trace_context: string | null
}

/** Requests to one endpoint that may be in flight. */
export const maxUnderWay = limits.deliveriesUnderWayPerWebhook

/** A sweep ends the deliveries of a disabled endpoint. If it is enabled before, its deliveries are due after this time. */
const disabledAgainSeconds = 5

export type StartParameters = {
  /** The endpoints whose queues are locked. */
  webhookIds: readonly Uuid[]
  maxAttempts: number
  /** Those of them that organisations with much use may have. The rest is for the others. */
  maxHeavy: number
  maxPerOrg: number
  /** The organisations with another limit than `maxPerOrg`, and those with much use. */
  orgAllowances: Json
  leaseMs: number
}

export const startAttempts = statement<StartParameters, StartedAttempt>(
  'endpoint_queues.begin',
  sql`with lane as (
     select l.webhook_id, l.org_id, l.under_way, w.disabled_at is not null as is_disabled,
            case when l.rest_until > app_now() then l.rest_until end as rests_until
       from webhook_lanes l join webhooks w on w.id = l.webhook_id
      where l.webhook_id = any (:webhookIds::uuid[])

   -- The oldest due deliveries of each endpoint, at most as many as it may have in flight. turn orders them round-robin
   -- over the endpoints of an organisation.
   ), ready as (
     select h.delivery_id, lane.webhook_id, lane.org_id,
            row_number() over (partition by lane.org_id order by h.n, h.due_at) as turn
       from lane cross join lateral (
         select delivery_id, due_at, row_number() over (order by due_at, event_id) as n
           from (select delivery_id, due_at, event_id from delivery_heads
                  where webhook_id = lane.webhook_id and lease_until is null and due_at <= app_now()
                  order by due_at, event_id limit ${maxUnderWay} - lane.under_way) oldest
       ) h
      where not lane.is_disabled and lane.rests_until is null

   -- Round-robin over the organisations, each within its allowance, those with much use last.
   ), allowed as (
     select r.delivery_id, r.webhook_id, r.turn, coalesce(a.is_heavy, false) as is_heavy
       from ready r
       left join json_to_recordset(:orgAllowances::json) as a (org_id uuid, count integer, is_heavy boolean) on a.org_id = r.org_id
      where r.turn <= coalesce(a.count, :maxPerOrg::integer)
   ), ranked as (
     select delivery_id, webhook_id, turn, is_heavy, row_number() over (partition by is_heavy order by turn) as n from allowed
   ), taken as (
     select delivery_id, webhook_id from ranked
      where not is_heavy or n <= :maxHeavy::integer order by is_heavy, turn limit :maxAttempts
   ), begun as (
     update delivery_heads h
        set number = h.number + 1, begun_at = app_now(),
            lease_until = app_now() + make_interval(secs => :leaseMs::double precision / 1000)
       from taken t where h.delivery_id = t.delivery_id
     returning h.delivery_id, h.org_id, h.webhook_id, h.event_id, h.number, h.begun_at,
            extract(epoch from app_now() - h.due_at)::double precision * 1000 as lag_ms
   ), counted as (
     select lane.webhook_id, lane.is_disabled, lane.rests_until, coalesce(t.begun, 0) as begun
       from lane left join (select webhook_id, count(*)::integer as begun from taken group by webhook_id) t
         on t.webhook_id = lane.webhook_id
   ), next as materialized (
     -- The deliveries that were taken are the first ones of the endpoint, so the next one follows after them.
     select c.webhook_id, c.is_disabled, c.rests_until, c.begun,
            (select h.due_at from delivery_heads h where h.webhook_id = c.webhook_id and h.lease_until is null
              order by h.due_at limit 1 offset c.begun) as next_due_at
       from counted c

   -- An endpoint at its limit is not due. The attempt that ends makes it due again.
   ), lanes as (
     update webhook_lanes l
        set under_way = l.under_way + c.begun,
            due_at = case when c.next_due_at is null or l.under_way + c.begun >= ${maxUnderWay} then null
              when c.is_disabled then app_now() + interval '${disabledAgainSeconds} seconds'
              else greatest(c.next_due_at, c.rests_until) end
       from next c where l.webhook_id = c.webhook_id
   )
   select b.delivery_id, b.org_id, b.webhook_id, b.event_id, b.number, b.begun_at, b.lag_ms, w.url, w.secret,
          case when w.old_secret_until > app_now() then w.old_secret end as old_secret
     from begun b join webhooks w on w.id = b.webhook_id
    order by b.event_id`,
)

type SubjectParameters = {
  deliveryIds: readonly Uuid[]
  /** The event of each delivery. */
  eventIds: readonly Uuid[]
  /** The range of the deliveries and that of the events: only the partitions between them are opened. */
  firstDeliveryId: Uuid | null
  lastDeliveryId: Uuid | null
  firstEventId: Uuid | null
  lastEventId: Uuid | null
}

/** A second statement, because the ranges are known only when the attempts have started. */
export const findSubjects = statement<
  SubjectParameters,
  Omit<DeliverySubject, 'trace_context'> & { delivery_id: string }
>(
  'endpoint_queues.subjects',
  sql`select n.delivery_id, d.source,
          -- A test that is sent again is still a test.
          coalesce(d.source = 'test' or (d.source = 'redelivery' and e.is_test), false) as is_test, e.run_id
     from unnest(:deliveryIds::uuid[], :eventIds::uuid[]) as n (delivery_id, event_id)
          -- The limits keep these lookups of one row. Without them a plan of the first minutes reads all events at each call.
          left join lateral (
            select d.source from deliveries d
             where d.id = n.delivery_id and d.id between :firstDeliveryId and :lastDeliveryId limit 1) d on true
          left join lateral (
            select e.webhook_id is not null as is_test,
                   case when e.webhook_id is null and e.type like 'run.%' then e.subject_id end as run_id
              from events e where e.id = n.event_id and e.id between :firstEventId and :lastEventId limit 1) e on true`,
)

type TraceParameters = { runIds: readonly Uuid[]; orgIds: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }

/** The runs that are in a trace. `orgIds`: the organisation of each. */
export const findTraces = statement<TraceParameters, { run_id: string; trace_context: string }>(
  'endpoint_queues.traces',
  sql`select r.id as run_id, r.trace_context from unnest(:runIds::uuid[], :orgIds::uuid[]) as n (id, org_id)
     cross join lateral (
       select r.id, r.trace_context from runs r
        where r.id = n.id and r.org_id = n.org_id and r.id between :firstId and :lastId limit 1) r
    where r.trace_context is not null`,
)

import { limits } from '@ars/contract'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'

/** While an endpoint is being disabled, no attempt starts for it. If that fails, deliveries continue after this time. */
const stopSeconds = 5

export type EndParameters = {
  attempts: Json
  deliveryIds: readonly Uuid[]
  /** The deliveries without another attempt. */
  endedDeliveryIds: readonly Uuid[]
  /** The least and the greatest of them: only the partitions between them are opened. */
  firstEndedId: Uuid | null
  lastEndedId: Uuid | null
  queues: Json
  pauseMs: number
}

/** Answers the endpoints that have a due delivery. */
export const writeAttemptEnds = statement<EndParameters, { webhook_id: Uuid }>(
  'delivery_end.write',
  sql`with ended as (
     select delivery_id, org_id, number, at, is_kept, duration_ms, http_status, error, request_headers, response_headers,
            response_body, delivery_outcome, next_number, after_ms, end_error
       from json_to_recordset(:attempts::json) as a (delivery_id uuid, org_id uuid, number smallint, at timestamptz, is_kept boolean,
            duration_ms integer, http_status smallint, error text, request_headers json, response_headers json,
            response_body text, delivery_outcome text, next_number smallint, after_ms integer, end_error text)

   -- An attempt that was never sent leaves no record.
   ), attempt as (
     insert into delivery_attempts (delivery_id, number, org_id, at, duration_ms, http_status, error, request_headers,
            response_headers, response_body)
     select delivery_id, number, org_id, at, duration_ms, http_status, error, request_headers, response_headers, response_body
       from ended where is_kept
   ), removed as (
     delete from delivery_heads where delivery_id = any (:endedDeliveryIds::uuid[])
   ), again as (
     update delivery_heads h
        set number = e.next_number, begun_at = null, lease_until = null,
            due_at = app_now() + make_interval(secs => e.after_ms::double precision / 1000)
       from ended e where h.delivery_id = e.delivery_id and h.delivery_id = any (:deliveryIds::uuid[]) and e.delivery_outcome = 'again'
     returning h.webhook_id, h.due_at
   ), closed as (
     update deliveries d set status = e.delivery_outcome, error = e.end_error, ended_at = app_now()
       from ended e where d.id = e.delivery_id and d.id = any (:endedDeliveryIds::uuid[])
        and d.id between :firstEndedId and :lastEndedId

   -- The new state of each endpoint queue, as decided under its lock.
   ), lane as (
     select webhook_id, ended, freed, succeeded, failed, failures, is_failing, has_succeeded, must_stop,
            case rest when 'begins' then app_now() + make_interval(secs => :pauseMs::double precision / 1000) end as new_rest,
            rest = 'as it was' as keeps_rest
       from json_to_recordset(:queues::json) as l (webhook_id uuid, ended integer, freed integer, succeeded integer, failed integer, failures integer,
            is_failing boolean, rest text, has_succeeded boolean, must_stop boolean)

   -- One row for each hour of the day, which counts from zero again on the next day.
   ), counted as (
     insert into webhook_hours as h (webhook_id, org_id, slot, hour, succeeded, failed)
     select l.webhook_id, l.org_id, extract(hour from app_now() at time zone 'utc')::smallint,
            date_trunc('hour', app_now(), 'utc'), lane.succeeded, lane.failed
       from lane join webhook_lanes l on l.webhook_id = lane.webhook_id
      where lane.succeeded + lane.failed > 0
     on conflict (webhook_id, slot) do update
        set hour = excluded.hour,
            succeeded = case when h.hour = excluded.hour then h.succeeded else 0 end + excluded.succeeded,
            failed = case when h.hour = excluded.hour then h.failed else 0 end + excluded.failed

   -- For the figures of usage.
   ), noted as (
     insert into usage_notes (org_id, deliveries_succeeded, deliveries_failed)
     select l.org_id, sum(lane.succeeded), sum(lane.failed)
       from lane join webhook_lanes l on l.webhook_id = lane.webhook_id
      where lane.succeeded + lane.failed > 0 group by l.org_id

   -- An endpoint at its limit may have been skipped when a delivery became due, and one whose pause ends was not looked
   -- at: both are due now, and the next claim finds out.
   ), lanes as (
     update webhook_lanes l
        set waiting = greatest(l.waiting - lane.ended, 0),
            under_way = greatest(l.under_way - lane.freed, 0),
            failures = lane.failures,
            failing_since = case when lane.is_failing then coalesce(l.failing_since, app_now()) end,
            last_succeeded_at = case when lane.has_succeeded then app_now() else l.last_succeeded_at end,
            rest_until = case when lane.keeps_rest then l.rest_until else lane.new_rest end,
            due_at = case when l.waiting - lane.ended > l.under_way - lane.freed then greatest(
                least(l.due_at, (select min(a.due_at) from again a where a.webhook_id = l.webhook_id),
                  case when l.under_way >= ${limits.deliveriesUnderWayPerWebhook} or not lane.keeps_rest then app_now() end),
                lane.new_rest, case when lane.keeps_rest then l.rest_until end,
                case when lane.must_stop then app_now() + interval '${stopSeconds} seconds' end) end
       from lane where l.webhook_id = lane.webhook_id
     returning l.webhook_id, l.due_at
   )
   select webhook_id from lanes where due_at <= app_now()`,
)

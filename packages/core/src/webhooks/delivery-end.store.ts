import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { statement } from '@ars/platform/db/statement'
import {
  afterAttempt,
  type DisableReason,
  decideFate,
  type Fate,
  type Health,
  healthOf,
  type Outcome,
  restMs,
  type Standing,
} from './lane.ts'

/** An attempt that has ended, with what is kept of it. */
export type EndedAttempt = {
  deliveryId: string
  webhookId: string
  number: number
  outcome: Outcome
  durationMs: number | null
  httpStatus: number | null
  error: string | null
  requestHeaders: Readonly<Record<string, string>> | null
  responseHeaders: Readonly<Record<string, string>> | null
  responseBody: string | null
}

/** What became of its delivery. `hasMore`: more of the endpoint is due, now that a place has come free. */
export type Ended = { org: string; fate: Fate; hasMore: boolean; disable: DisableReason | null }

/**
 * Ends attempts, many at once. Whoever has the head, its number and its lease, ends the attempt; null says that somebody else
 * has closed it, as interrupted. Lanes are locked first and in the order of their ids; then it is decided, then written.
 */
// crosses organisations: attempts that end at the same time share a commit, whoever they were for.
export const endAttempts = (db: Database, attempts: readonly EndedAttempt[]): Promise<(Ended | null)[]> =>
  db.transaction(null, async (tx) => {
    const [lanes, heads] = await lock(tx, attempts)
    const states = new Map(lanes.map((lane) => [lane.webhook_id, { lane, health: healthOf(lane), ended: 0, freed: 0 }]))
    const ends = attempts.map((attempt) => {
      const head = heads.get(attempt.deliveryId)
      if (!head || head.number !== attempt.number) return null
      const fate = decideFate(attempt.outcome, attempt.number, head.standing)
      const state = states.get(attempt.webhookId)
      if (state) {
        state.health = afterAttempt(state.health, attempt.outcome, fate)
        state.freed += 1
        if (fate.kind !== 'again') state.ended += 1
      }
      return { attempt, head, fate }
    })
    const closed = ends.filter((end) => end !== null)
    if (closed.length === 0) return ends.map(() => null)
    const lanesNow = JSON.stringify([...states.values()].map(toLaneRow))
    const due = await tx.query<{ webhook_id: string }>(write(...rowsOf(closed), lanesNow, restMs))
    const isDue = new Set(due.map(({ webhook_id }) => webhook_id))
    return ends.map((end) => {
      if (!end) return null
      const { attempt, head, fate } = end
      const disable = head.standing === 'active' ? (states.get(attempt.webhookId)?.health.disable ?? null) : null
      return { org: head.org_id, fate, hasMore: isDue.has(attempt.webhookId), disable }
    })
  })

type Lane = { webhook_id: string; waiting: number; under_way: number; failures: number; failing_for_ms: number | null }
type Head = { delivery_id: string; org_id: string; number: number; begun_at: string; standing: Standing }
type Closed = { attempt: EndedAttempt; head: Head; fate: Fate }
type LaneState = { lane: Lane; health: Health; ended: number; freed: number }

const lock = async (tx: Tx, attempts: readonly EndedAttempt[]) => {
  const webhooks = [...new Set(attempts.map(({ webhookId }) => webhookId))]
  const deliveries = attempts.map(({ deliveryId }) => deliveryId)
  const [, lanes, heads] = await Promise.all([
    tx.query(preferIndexes()),
    tx.query<Lane>(lockLanes(webhooks)),
    // On the wire behind the one before, so it is looked at under the locks.
    tx.query<Head>(lockHeads(deliveries)),
  ])
  return [lanes, new Map(heads.map((head) => [head.delivery_id, head]))] as const
}

const rowsOf = (closed: readonly Closed[]): [string, string[], string[]] => [
  JSON.stringify(closed.map(toRow)),
  closed.map(({ attempt }) => attempt.deliveryId),
  closed.filter(({ fate }) => fate.kind !== 'again').map(({ attempt }) => attempt.deliveryId),
]

const toRow = ({ attempt, head, fate }: Closed) => ({
  delivery_id: attempt.deliveryId,
  org_id: head.org_id,
  number: attempt.number,
  at: head.begun_at,
  is_kept: attempt.outcome !== 'unsent' && attempt.outcome !== 'void',
  duration_ms: attempt.durationMs,
  http_status: attempt.httpStatus,
  error: attempt.error,
  request_headers: attempt.requestHeaders,
  response_headers: attempt.responseHeaders,
  response_body: attempt.responseBody,
  fate: fate.kind,
  ...(fate.kind === 'again'
    ? { next_number: fate.number, after_ms: fate.afterMs, end_error: null }
    : { next_number: null, after_ms: null, end_error: fate.error }),
})

const toLaneRow = ({ lane, health, ended, freed }: LaneState) => ({
  webhook_id: lane.webhook_id,
  ended,
  freed,
  failures: health.failures,
  is_failing: health.failingForMs !== null,
  rest: health.rest,
  has_succeeded: health.hasSucceeded,
  must_stop: health.disable !== null,
})

const lockLanes = statement(
  'delivery_end.lock_lanes',
  `select webhook_id, waiting, under_way, failures,
          (extract(epoch from app_now() - failing_since) * 1000)::double precision as failing_for_ms
     from webhook_lanes where webhook_id = any ($1::uuid[]) order by webhook_id for update`,
)

const lockHeads = statement(
  'delivery_end.lock_heads',
  `select h.delivery_id, h.org_id, h.number, h.begun_at::text,
          case when w.id is null then 'deleted' when w.disabled_at is not null then 'disabled' else 'active' end as standing
     from delivery_heads h left join webhooks w on w.id = h.webhook_id
    where h.delivery_id = any ($1::uuid[]) and h.lease_until is not null
    order by h.delivery_id for update of h`,
)

// So long nothing is begun for an endpoint that is about to be disabled; should that fail, it goes on.
const stopSeconds = 5

// A lane that was full may have been passed over by those who made something due, and one whose rest is over has waited for its
// end: the next look is now, and finds out.
const write = statement(
  'delivery_end.write',
  `with ended as (
     select delivery_id, org_id, number, at, is_kept, duration_ms, http_status, error, request_headers, response_headers,
            response_body, fate, next_number, after_ms, end_error
       from json_to_recordset($1::json) as a (delivery_id uuid, org_id uuid, number smallint, at timestamptz, is_kept boolean,
            duration_ms integer, http_status smallint, error text, request_headers json, response_headers json,
            response_body text, fate text, next_number smallint, after_ms integer, end_error text)
   ), kept as (
     insert into delivery_attempts (delivery_id, number, org_id, at, duration_ms, http_status, error, request_headers,
            response_headers, response_body)
     select delivery_id, number, org_id, at, duration_ms, http_status, error, request_headers, response_headers, response_body
       from ended where is_kept
   ), gone as (
     delete from delivery_heads where delivery_id = any ($3::uuid[])
   ), again as (
     update delivery_heads h
        set number = e.next_number, begun_at = null, lease_until = null,
            due_at = app_now() + make_interval(secs => e.after_ms::double precision / 1000)
       from ended e where h.delivery_id = e.delivery_id and h.delivery_id = any ($2::uuid[]) and e.fate = 'again'
     returning h.webhook_id, h.due_at
   ), closed as (
     update deliveries d set status = e.fate, error = e.end_error, ended_at = app_now()
       from ended e where d.id = e.delivery_id and d.id = any ($3::uuid[])
   ), lane as (
     select webhook_id, ended, freed, failures, is_failing, has_succeeded, must_stop,
            case rest when 'begins' then app_now() + make_interval(secs => $5::double precision / 1000) end as new_rest,
            rest = 'as it was' as keeps_rest
       from json_to_recordset($4::json) as l (webhook_id uuid, ended integer, freed integer, failures integer,
            is_failing boolean, rest text, has_succeeded boolean, must_stop boolean)
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

import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import {
  type AttemptOutcome,
  afterAttempt,
  type DeliveryOutcome,
  type DisableReason,
  decideDelivery,
  type EndpointState,
  type Health,
  healthOf,
  restMs,
} from '../webhook/endpoint-queue.ts'
import { writeAttemptEnds } from './delivery-end.sql.ts'

/** An attempt that has ended, with its record. */
export type EndedAttempt = {
  deliveryId: string
  webhookId: string
  number: number
  outcome: AttemptOutcome
  durationMs: number | null
  httpStatus: number | null
  error: string | null
  requestHeaders: Readonly<Record<string, string>> | null
  responseHeaders: Readonly<Record<string, string>> | null
  responseBody: string | null
}

/** The result for its delivery. `hasMore`: the endpoint has another due delivery, now that its limit is not reached. */
export type Ended = { org: string; deliveryOutcome: DeliveryOutcome; hasMore: boolean; disable: DisableReason | null }

/**
 * Ends attempts, many in one transaction. Null: the attempt is not open any more, because another worker closed it as
 * interrupted. Endpoint queues are locked first, in the order of their ids.
 */
// crosses organisations: attempts of all organisations that end at the same time share a commit.
export const endAttempts = (
  db: Database,
  attempts: readonly EndedAttempt[],
  maxAttempts: number = limits.deliveryAttempts,
): Promise<(Ended | null)[]> =>
  db.transaction(null, async (tx) => {
    const [queues, heads] = await lock(tx, attempts)
    const states = new Map(
      queues.map((queue) => [
        queue.webhook_id,
        { queue, health: healthOf(queue), ended: 0, freed: 0, succeeded: 0, failed: 0 },
      ]),
    )
    const ends = attempts.map((attempt) => {
      const head = heads.get(attempt.deliveryId)
      if (!head || head.number !== attempt.number) return null
      const deliveryOutcome = decideDelivery(attempt.outcome, attempt.number, {
        endpointState: head.endpoint_state,
        maxAttempts,
      })
      const state = states.get(attempt.webhookId)
      if (state) {
        state.health = afterAttempt(state.health, attempt.outcome, deliveryOutcome)
        state.freed += 1
        if (deliveryOutcome.kind !== 'again') state.ended += 1
        if (deliveryOutcome.kind === 'succeeded') state.succeeded += 1
        // A delivery with nothing left to send says nothing about the endpoint.
        if (deliveryOutcome.kind === 'failed' && attempt.outcome !== 'void') state.failed += 1
      }
      return { attempt, head, deliveryOutcome }
    })
    const closed = ends.filter((end) => end !== null)
    if (closed.length === 0) return ends.map(() => null)
    const queuesNow = JSON.stringify([...states.values()].map(toQueueRow))
    const due = await tx.query(writeAttemptEnds({ ...rowsOf(closed), queues: queuesNow, pauseMs: restMs }))
    const isDue = new Set(due.map(({ webhook_id }) => webhook_id))
    return ends.map((end) => {
      if (!end) return null
      const { attempt, head, deliveryOutcome } = end
      const disable = head.endpoint_state === 'active' ? (states.get(attempt.webhookId)?.health.disable ?? null) : null
      return { org: head.org_id, deliveryOutcome, hasMore: isDue.has(attempt.webhookId), disable }
    })
  })

type EndpointQueue = {
  webhook_id: string
  waiting: number
  under_way: number
  failures: number
  failing_for_ms: number | null
}
type Head = { delivery_id: string; org_id: string; number: number; begun_at: string; endpoint_state: EndpointState }
type Closed = { attempt: EndedAttempt; head: Head; deliveryOutcome: DeliveryOutcome }
type QueueState = {
  queue: EndpointQueue
  health: Health
  ended: number
  freed: number
  succeeded: number
  failed: number
}

const lock = async (tx: Tx, attempts: readonly EndedAttempt[]) => {
  const webhookIds = [...new Set(attempts.map(({ webhookId }) => webhookId))]
  const deliveryIds = attempts.map(({ deliveryId }) => deliveryId)
  const [, queues, heads] = await Promise.all([
    tx.query(preferIndexes()),
    tx.query(lockQueues({ webhookIds })),
    // Sent after the statement before it, so it runs under the locks.
    tx.query(lockHeads({ deliveryIds })),
  ])
  return [queues, new Map(heads.map((head) => [head.delivery_id, head]))] as const
}

const rowsOf = (closed: readonly Closed[]) => {
  const endedDeliveryIds = closed
    .filter(({ deliveryOutcome }) => deliveryOutcome.kind !== 'again')
    .map(({ attempt }) => attempt.deliveryId)
  const { firstId: firstEndedId, lastId: lastEndedId } = idBounds(endedDeliveryIds)
  return {
    attempts: JSON.stringify(closed.map(toRow)),
    deliveryIds: closed.map(({ attempt }) => attempt.deliveryId),
    endedDeliveryIds,
    firstEndedId,
    lastEndedId,
  }
}

const toRow = ({ attempt, head, deliveryOutcome }: Closed) => ({
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
  delivery_outcome: deliveryOutcome.kind,
  ...(deliveryOutcome.kind === 'again'
    ? { next_number: deliveryOutcome.number, after_ms: deliveryOutcome.afterMs, end_error: null }
    : { next_number: null, after_ms: null, end_error: deliveryOutcome.error }),
})

const toQueueRow = ({ queue, health, ended, freed, succeeded, failed }: QueueState) => ({
  webhook_id: queue.webhook_id,
  ended,
  freed,
  succeeded,
  failed,
  failures: health.failures,
  is_failing: health.failingForMs !== null,
  rest: health.rest,
  has_succeeded: health.hasSucceeded,
  must_stop: health.disable !== null,
})

const lockQueues = statement<{ webhookIds: readonly Uuid[] }, EndpointQueue>(
  'delivery_end.lock_lanes',
  sql`select webhook_id, waiting, under_way, failures,
          (extract(epoch from app_now() - failing_since) * 1000)::double precision as failing_for_ms
     from webhook_lanes where webhook_id = any (:webhookIds::uuid[]) order by webhook_id for update`,
)

const lockHeads = statement<{ deliveryIds: readonly Uuid[] }, Head>(
  'delivery_end.lock_heads',
  sql`select h.delivery_id, h.org_id, h.number, h.begun_at::text,
          case when w.id is null then 'deleted' when w.disabled_at is not null then 'disabled' else 'active' end as endpoint_state
     from delivery_heads h left join webhooks w on w.id = h.webhook_id
    where h.delivery_id = any (:deliveryIds::uuid[]) and h.lease_until is not null
    order by h.delivery_id for update of h`,
)

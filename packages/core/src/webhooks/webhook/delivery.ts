import { limits, type Waiting, type Delivery as WireDelivery } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** A delivery as stored. All ids are UUIDs. */
export type Delivery = {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  status: WireDelivery['status']
  source: WireDelivery['source']
  error: string | null
  created_at: Date
  ended_at: Date | null
  /** Null when it has ended, and while an attempt is in flight. */
  next_attempt_at: Date | null
}

/** The queue of its endpoint, while the delivery waits. */
export type EndpointStanding = {
  is_in_flight: boolean
  /** It is due after this time. */
  due_at: Date
  is_due: boolean
  /** Deliveries of the endpoint that have not ended, and those that are being sent. */
  endpoint_waiting: number
  endpoint_under_way: number
  /** The endpoint is paused. */
  paused_until: Date | null
}

/** An attempt whose end is known. */
export type Attempt = {
  delivery_id: string
  number: number
  at: Date
  duration_ms: number | null
  http_status: number | null
  error: string | null
  request_headers: Record<string, string> | null
  response_headers: Record<string, string> | null
  response_body: string | null
}

/**
 * `attempts` may contain those of other deliveries too, in any order. `body` is the sent body, identical for each
 * attempt; lists leave it out.
 */
export const toWireDelivery = (
  delivery: Delivery & Partial<EndpointStanding>,
  attempts: readonly Attempt[],
  body: string | null = null,
): WireDelivery => ({
  id: fromUuid('dlv', delivery.id),
  object: 'delivery',
  webhook_id: fromUuid('wh', delivery.webhook_id),
  event_id: fromUuid('evt', delivery.event_id),
  event_type: delivery.event_type,
  status: delivery.status,
  source: delivery.source,
  attempts: attempts
    .filter(({ delivery_id }) => delivery_id === delivery.id)
    .toSorted((a, b) => a.number - b.number)
    .map((attempt) => toWireAttempt(attempt, body)),
  waiting: waitingBecause(delivery),
  next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
  error: delivery.error,
  created_at: delivery.created_at.toISOString(),
  ended_at: delivery.ended_at?.toISOString() ?? null,
})

const waitingBecause = ({ status, ...standing }: Delivery & Partial<EndpointStanding>): Waiting | null => {
  const { is_in_flight = false, due_at, is_due = true, paused_until = null } = standing
  const { endpoint_waiting: waiting, endpoint_under_way: underWay } = standing
  // The answer to a new delivery has no counts.
  if (status !== 'pending' || is_in_flight || waiting === undefined || underWay === undefined) return null
  const numbers = `${underWay} of its ${waiting} deliveries are being sent`
  if (paused_until)
    return {
      reason: 'destination',
      message: `The endpoint failed three times in a row and is paused until ${paused_until.toISOString()}; ${numbers}.`,
    }
  if (due_at && !is_due) return { reason: 'retry', message: `The next attempt is due at ${due_at.toISOString()}.` }
  return underWay >= limits.deliveriesUnderWayPerWebhook
    ? { reason: 'destination', message: `The endpoint has as many attempts under way as it may have: ${numbers}.` }
    : { reason: 'turn', message: `It waits for its turn: ${numbers}.` }
}

const toWireAttempt = (attempt: Attempt, body: string | null): WireDelivery['attempts'][number] => ({
  number: attempt.number,
  at: attempt.at.toISOString(),
  duration_ms: attempt.duration_ms,
  http_status: attempt.http_status,
  error: attempt.error,
  request: { headers: attempt.request_headers, body },
  response:
    attempt.response_headers === null ? null : { headers: attempt.response_headers, body: attempt.response_body ?? '' },
})

/** The Redis channel on which new due deliveries are announced, so that senders look at once. */
export const deliveryChannel = 'webhooks'

/** Identifies the delivery for receivers, and lets us detect a delivery that is sent back to our own API. */
export const deliveryHeader = 'x-service-delivery'

/** Sent with every delivery of a test event, whatever its type. */
export const testHeader = 'x-service-test'

/** The value of `Location`. */
export const deliveryAddress = (webhookId: string, id: string): string => `/v2/webhooks/${webhookId}/deliveries/${id}`

import { limits } from '@ars/contract'

/**
 * The outcome of an attempt. `gone`: the endpoint answered 410. `interrupted`: nobody saw its end; it counts, because
 * it may have been sent. `unsent`: nothing was sent, so it does not count. `void`: there is nothing left to send.
 */
export type AttemptOutcome = 'acknowledged' | 'failed' | 'gone' | 'interrupted' | 'unsent' | 'void'

/** The outcome for the delivery. `number` is how many attempts it has had. */
export type DeliveryOutcome =
  | { kind: 'succeeded' | 'failed'; error: string | null }
  | { kind: 'again'; number: number; afterMs: number }

/** The state of an endpoint. Deliveries are sent to active endpoints only. */
export type EndpointState = 'active' | 'disabled' | 'deleted'

// After failed attempt n. The third back-off of the contract is the pause of the endpoint, and that of later attempts.
const backoffMs = [1000, 5000] as const
const unsentAgainMs = 1000

export const decideDelivery = (
  outcome: AttemptOutcome,
  number: number,
  { endpointState, maxAttempts }: { endpointState: EndpointState; maxAttempts: number },
): DeliveryOutcome => {
  if (outcome === 'acknowledged') return { kind: 'succeeded', error: null }
  if (outcome === 'void')
    return { kind: 'failed', error: 'What this event tells of is no longer kept, so nothing was sent' }
  const isLast = outcome === 'gone' || (outcome !== 'unsent' && number >= maxAttempts)
  if (isLast) return { kind: 'failed', error: null }
  if (endpointState !== 'active') return { kind: 'failed', error: notSentTo[endpointState] }
  if (outcome === 'unsent') return { kind: 'again', number: number - 1, afterMs: unsentAgainMs }
  return { kind: 'again', number, afterMs: backoffMs[number - 1] ?? restMs }
}

/** Why nothing more was sent. */
export const notSentTo = {
  disabled: 'The webhook was paused or disabled, so nothing more was sent',
  deleted: 'The webhook was deleted, so nothing more was sent',
  expired: 'The event reached the end of its retention, so nothing more was sent',
} as const

/** The pause of an endpoint after this many consecutive failed deliveries. */
const restAfterFailures = 3
export const restMs = 30_000
const disableAfterMs = limits.webhookFailingDays * 86_400_000

export type DisableReason = 'gone' | 'failing'

/** The health of an endpoint, read under the lock of its queue. */
export type Health = {
  /** Consecutive failed deliveries since the last success or the last pause. */
  failures: number
  /** How long every delivery has failed. Null: the last one succeeded. */
  failingForMs: number | null
  rest: 'as it was' | 'begins' | 'is over'
  hasSucceeded: boolean
  disable: DisableReason | null
}

export const healthOf = (queue: { failures: number; failing_for_ms: number | null }): Health => ({
  failures: queue.failures,
  failingForMs: queue.failing_for_ms,
  rest: 'as it was',
  hasSucceeded: false,
  disable: null,
})

/**
 * The health after one more attempt. An interrupted or unsent attempt is our own fault and says nothing about the
 * endpoint. A single failed attempt does not either: a delivery fails with its last attempt.
 */
export const afterAttempt = (health: Health, outcome: AttemptOutcome, deliveryOutcome: DeliveryOutcome): Health => {
  if (outcome === 'acknowledged') {
    return { ...health, failures: 0, failingForMs: null, rest: 'is over', hasSucceeded: true }
  }
  if (outcome === 'gone') return { ...health, failingForMs: health.failingForMs ?? 0, disable: 'gone' }
  if (outcome !== 'failed' || deliveryOutcome.kind !== 'failed') return health
  const failures = health.failures + 1
  const failingForMs = health.failingForMs ?? 0
  const mustRest = failures >= restAfterFailures
  return {
    ...health,
    failures: mustRest ? 0 : failures,
    failingForMs,
    rest: mustRest ? 'begins' : health.rest,
    disable: failingForMs >= disableAfterMs ? (health.disable ?? 'failing') : health.disable,
  }
}

import { limits } from '@ars/contract'

/**
 * What came of an attempt. `gone`: the endpoint answered 410. `interrupted`: nobody saw its end; it counts, because it may have
 * been sent. `unsent`: nothing has left us, so it does not count. `void`: there is nothing to send any more.
 */
export type Outcome = 'acknowledged' | 'failed' | 'gone' | 'interrupted' | 'unsent' | 'void'

/** What becomes of the delivery. `number` is how many attempts it has had. */
export type Fate =
  | { kind: 'succeeded' | 'failed'; error: string | null }
  | { kind: 'again'; number: number; afterMs: number }

/** How an endpoint stands to its deliveries. Active: they are sent. */
export type Standing = 'active' | 'disabled' | 'deleted'

// After failed attempt n. The third back-off of the contract is the rest of the endpoint.
const backoffMs = [1000, 5000] as const
const unsentAgainMs = 1000

export const decideFate = (outcome: Outcome, number: number, standing: Standing): Fate => {
  if (outcome === 'acknowledged') return { kind: 'succeeded', error: null }
  if (outcome === 'void')
    return { kind: 'failed', error: 'What this event tells of is no longer kept, so nothing was sent' }
  const isLast = outcome === 'gone' || (outcome !== 'unsent' && number >= limits.deliveryAttempts)
  if (isLast) return { kind: 'failed', error: null }
  if (standing !== 'active') return { kind: 'failed', error: notSentTo[standing] }
  if (outcome === 'unsent') return { kind: 'again', number: number - 1, afterMs: unsentAgainMs }
  return { kind: 'again', number, afterMs: backoffMs[number - 1] ?? restMs }
}

/** Why nothing more was sent, in words. */
export const notSentTo = {
  disabled: 'The webhook was paused or disabled, so nothing more was sent',
  deleted: 'The webhook was deleted, so nothing more was sent',
} as const

/** The rest of an endpoint after this many failed deliveries in a row. */
const restAfterFailures = 3
export const restMs = 30_000
const disableAfterMs = limits.webhookFailingDays * 86_400_000

export type DisableReason = 'gone' | 'failing'

/** How an endpoint fares, as it is known under the lock of its lane. */
export type Health = {
  /** Failed deliveries in a row, since the last success or the last rest. */
  failures: number
  /** How long every delivery has failed; null: the last one succeeded. */
  failingForMs: number | null
  rest: 'as it was' | 'begins' | 'is over'
  hasSucceeded: boolean
  disable: DisableReason | null
}

export const healthOf = (lane: { failures: number; failing_for_ms: number | null }): Health => ({
  failures: lane.failures,
  failingForMs: lane.failing_for_ms,
  rest: 'as it was',
  hasSucceeded: false,
  disable: null,
})

/**
 * One more attempt has ended. What was interrupted, or never sent, is our own fault and says nothing about the endpoint. A
 * single failed attempt does not either: a delivery has failed after its last.
 */
export const afterAttempt = (health: Health, outcome: Outcome, fate: Fate): Health => {
  if (outcome === 'acknowledged') {
    return { ...health, failures: 0, failingForMs: null, rest: 'is over', hasSucceeded: true }
  }
  if (outcome === 'gone') return { ...health, failingForMs: health.failingForMs ?? 0, disable: 'gone' }
  if (outcome !== 'failed' || fate.kind !== 'failed') return health
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

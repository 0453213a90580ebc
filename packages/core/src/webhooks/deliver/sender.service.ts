import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import { createByteBudget, type Held } from '@ars/platform/byte-budget'
import type { Clock } from '@ars/platform/clock'
import { createBatcher } from '@ars/platform/db/batcher'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { uuidTimeMs } from '@ars/platform/id'
import type { Fields, Log } from '@ars/platform/log/log'
import type { Tracer } from '@ars/platform/trace/tracer'
import type { SecretService } from '../../secrets/index.ts'
import { webhooksBounds } from '../bounds.ts'
import type { AttemptOutcome, DisableReason } from '../webhook/endpoint-queue.ts'
import { secretSealContext } from '../webhook/webhook.ts'
import { type DeliveryRequest, sendAttempt } from './attempt.service.ts'
import { type Ended, type EndedAttempt, endAttempts } from './delivery-end.store.ts'
import type { DisableService } from './disable.service.ts'
import { type Claimed, claimAttempts } from './endpoint-queue.store.ts'

/** Sends due deliveries, up to the concurrency of this worker. */
export type Sender = {
  /** Looks for due deliveries at once. Cheap, and safe to call at any time. */
  nudge(): void
  /** Records the ends of attempts of any worker. */
  end(attempt: EndedAttempt): Promise<Ended | null>
  /** Starts nothing more; claimed deliveries that have not been sent are released. */
  drain(): void
  /** Nothing is in flight and nothing is being claimed. */
  isIdle(): boolean
}

/** For the metrics. `lagMs`: from the event to its first attempt. */
export type AttemptMetrics = { outcome: AttemptOutcome; durationMs: number | null; lagMs: number | undefined }

type Deps = {
  deliveries: Database
  /** Not the client of the runs: calls of agents and tools take no connection from a delivery. */
  deliveryEgress: Pick<Egress, 'stream'>
  secrets: SecretService
  disable: DisableService
  bodyOf(org: string, eventId: string): Promise<string | null>
  concurrency: number
  /** Attempts of one delivery. */
  maxAttempts?: number | undefined
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
  onAttempt(metrics: AttemptMetrics): void
}

// One organisation's share of a worker.
const shareOfOrg = 4
const maxBytes = webhooksBounds.bodiesInFlight.bytes
// The size of a body is unknown before it is loaded: assume the largest output and input of a run plus the envelope.
const maxBodyBytes = limits.outputBytes + 2 * limits.bodyBytes
// A request takes at most 11 s with its wait for a connection, and must end before its lease.
const startWithinMs = 3000
// One at a time: two at once would wait for each other's endpoint locks.
const endsTogether = webhooksBounds.endsTogether.count
const endsUnderWay = 1
const endTries = webhooksBounds.endTries.count
// From this many attempts in flight on, freed slots are gathered: one claim for many costs little more than for one. With fewer,
// the next delivery starts at once.
const busyFrom = 16
const gatherMs = 5
const endRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

export const createSender = (deps: Deps): Sender => {
  const { clock, log, tracer, concurrency } = deps
  const isTraced = tracer !== undefined
  const perOrg = Math.max(1, Math.floor(concurrency / shareOfOrg))
  const bytes = createByteBudget(maxBytes)
  const orgs = new Map<string, number>()
  let underWay = 0
  let isDraining = false
  let isLooking = false
  let mustLookAgain = false
  let gathering: NodeJS.Timeout | undefined

  const ends = createBatcher<EndedAttempt, Ended | null>({
    most: endsTogether,
    underWay: endsUnderWay,
    keyOf: ({ deliveryId }) => deliveryId,
    flush: (_, attempts) => endAttempts(deps.deliveries, attempts, deps.maxAttempts),
  })

  const claim = async (): Promise<void> => {
    const askedMs = clock.monotonicMs()
    const left = new Map([...orgs].map(([org, count]) => [org, perOrg - count]))
    const claimed = await claimAttempts(deps.deliveries, {
      concurrency: concurrency - underWay,
      perOrg,
      left,
      isTraced,
    })
    for (const one of claimed) void deliver(one, askedMs)
  }

  // One look claims as many as there are free slots. A delivery that was skipped for want of a slot or a lock is
  // picked up when that slot or lock is released.
  const lookUntilNone = async (): Promise<void> => {
    while (mustLookAgain && !isDraining && underWay < concurrency) {
      mustLookAgain = false
      await claim()
    }
  }

  /** Errors are logged; the next round follows anyway. */
  const nudge = (): void => {
    mustLookAgain = true
    if (isLooking || isDraining) return
    isLooking = true
    lookUntilNone()
      .catch((error: unknown) => {
        mustLookAgain = false
        log.warn('deliveries could not be looked for', { error })
      })
      .finally(() => {
        isLooking = false
        // A call may have arrived while this round was ending.
        if (mustLookAgain && underWay < concurrency) nudge()
      })
  }

  const nudgeSoon = (): void => {
    if (underWay >= busyFrom) {
      gathering ??= setTimeout(() => {
        gathering = undefined
        nudge()
      }, gatherMs)
    } else nudge()
  }

  /**
   * From the claim to the end. It never rejects: an attempt that cannot be ended here is closed after its lease
   * expires.
   */
  const deliver = async (claimed: Claimed, askedMs: number): Promise<void> => {
    const { org_id: org } = claimed
    underWay++
    orgs.set(org, (orgs.get(org) ?? 0) + 1)
    let hasMore = false
    try {
      const attempt = await attemptOf(claimed, askedMs)
      const ended = await end(attempt)
      deps.onAttempt({
        outcome: ended ? attempt.outcome : 'interrupted',
        durationMs: attempt.durationMs,
        lagMs: lagOf(claimed),
      })
      if (ended) tell(claimed, attempt)
      hasMore = ended?.hasMore ?? false
      if (ended?.disable) await disable(org, claimed.webhook_id, ended.disable)
    } catch (error) {
      log.error('delivery attempt was not recorded', { ...factsOf(claimed), error })
    }
    // Deliveries that were skipped for want of a slot are looked for now.
    const wasFull = underWay >= concurrency || (orgs.get(org) ?? 0) >= perOrg
    underWay--
    const count = (orgs.get(org) ?? 1) - 1
    if (count > 0) orgs.set(org, count)
    else orgs.delete(org)
    if (hasMore || wasFull) nudgeSoon()
  }

  /** One line for each attempt, so that a search for a run also finds what its receivers answered. */
  const tell = (claimed: Claimed, { outcome, durationMs, httpStatus, error }: EndedAttempt): void =>
    log.info('delivery attempt ended', {
      ...factsOf(claimed),
      attempt: claimed.number,
      outcome,
      ...(httpStatus !== null && { http_status: httpStatus }),
      ...(durationMs !== null && { duration_ms: durationMs }),
      // Only the kind: the rest may quote the receiver.
      ...(error !== null && { reason: error.split(':', 1)[0] }),
    })

  /** If it fails, the next failed delivery disables the endpoint. */
  const disable = (org: string, webhookId: string, reason: DisableReason): Promise<void> =>
    deps.disable(org, webhookId, reason).catch((error: unknown) => {
      log.warn('webhook could not be disabled', { webhook_id: webhookId, org_id: org, error })
    })

  const attemptOf = async (claimed: Claimed, askedMs: number): Promise<EndedAttempt> => {
    const held = await bytes.take(maxBodyBytes)
    try {
      const request = await prepare(claimed, held)
      if (request === 'void' || request === 'unsent') return notSent(claimed, request)
      if (isDraining || clock.monotonicMs() - askedMs > startWithinMs) return notSent(claimed, 'unsent')
      return await send(request)
    } finally {
      held.giveBack()
    }
  }

  /** Body and secrets. When the database or a key service is unavailable, nothing was sent and nothing is lost. */
  const prepare = async (claimed: Claimed, held: Held): Promise<DeliveryRequest | 'void' | 'unsent'> => {
    if (isDraining) return 'unsent'
    const { org_id: org, webhook_id, event_id, secret, old_secret } = claimed
    const sealContext = secretSealContext(webhook_id)
    try {
      const [body, current, old] = await Promise.all([
        deps.bodyOf(org, event_id),
        deps.secrets.open(org, secret, sealContext),
        old_secret === null ? undefined : deps.secrets.open(org, old_secret, sealContext),
      ])
      if (body === null) return 'void'
      held.correct(Buffer.byteLength(body))
      return { claimed, body, secrets: old === undefined ? [current] : [current, old] }
    } catch (error) {
      log.warn('delivery could not be made ready', { ...factsOf(claimed), error })
      return 'unsent'
    }
  }

  const send = async (request: DeliveryRequest): Promise<EndedAttempt> => {
    try {
      return await sendAttempt({ egress: deps.deliveryEgress, clock, tracer }, request)
    } catch (error) {
      log.error('delivery attempt failed on our side', { ...factsOf(request.claimed), error })
      return { ...notSent(request.claimed, 'interrupted'), error: 'interrupted: The attempt failed on our side' }
    }
  }

  /** Compare-and-set: an end whose commit was not acknowledged can be offered again. */
  const end = async (attempt: EndedAttempt): Promise<Ended | null> => {
    for (let tries = 0; ; tries++) {
      try {
        return await ends('', attempt)
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || tries >= endTries) throw error
        await sleep(endRetryMs(tries))
      }
    }
  }

  const lagOf = ({ number, source, event_id }: Claimed): number | undefined =>
    number === 1 && source === 'event' ? clock.now().getTime() - uuidTimeMs(event_id) : undefined

  return {
    nudge,
    end,
    drain: () => {
      isDraining = true
      clearTimeout(gathering)
    },
    isIdle: () => underWay === 0 && !isLooking,
  }
}

/** What every log line about a delivery carries. */
const factsOf = ({ run_id, delivery_id, webhook_id, event_id, org_id }: Claimed): Fields => ({
  ...(run_id !== null && { run_id }),
  delivery_id,
  webhook_id,
  event_id,
  org_id,
})

const notSent = (claimed: Claimed, outcome: 'void' | 'unsent' | 'interrupted'): EndedAttempt => ({
  deliveryId: claimed.delivery_id,
  webhookId: claimed.webhook_id,
  number: claimed.number,
  outcome,
  durationMs: null,
  httpStatus: null,
  error: null,
  requestHeaders: null,
  responseHeaders: null,
  responseBody: null,
})

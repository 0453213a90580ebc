import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import { createByteBudget, type Held } from '@ars/platform/byte-budget'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createGather } from '@ars/platform/db/gather'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { uuidTimeMs } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { SecretService } from '../secrets/index.ts'
import { type Parcel, sendAttempt } from './attempt.service.ts'
import { type Ended, type EndedAttempt, endAttempts } from './delivery-end.store.ts'
import type { DisableService } from './disable.service.ts'
import { type Claimed, claimAttempts } from './lane.store.ts'
import type { DisableReason, Outcome } from './lane.ts'
import { secretPlaceOf } from './webhook.ts'

/** Sends what is due, as much at once as this worker has places for. */
export type Sender = {
  /** Looks for what is due, at once. Safe to call at any moment, and cheap. */
  nudge(): void
  /** Writes the ends of attempts, whoever made them. */
  end(attempt: EndedAttempt): Promise<Ended | null>
  /** From now on nothing is begun; what was claimed and has not been sent is given back. */
  drain(): void
  /** Nothing is under way, and nothing is being claimed. */
  isIdle(): boolean
}

/** For the metrics. `lagMs`: from the event to its first attempt. */
export type AttemptFigures = { outcome: Outcome; durationMs: number | null; lagMs: number | undefined }

type Deps = {
  deliveries: Database
  egress: Pick<Egress, 'stream'>
  secrets: SecretService
  disable: DisableService
  bodyOf(org: string, eventId: string): Promise<string | null>
  places: number
  clock: Clock
  log: Log
  onAttempt(figures: AttemptFigures): void
}

// One organisation's share of a worker.
const shareOfOrg = 4
const bytesMost = 268_435_456
// Before a body is loaded nobody knows its size: the largest output and input of a run, and what stands around them.
const bodyBytesMost = limits.outputBytes + 2 * limits.bodyBytes
// A request takes 10 s at the most, and must be over before its lease is.
const startWithinMs = 4000
// One after the other: two at once would wait for the locks of each other's lanes.
const endsTogether = 128
const endsUnderWay = 1
const endTries = 8
const endRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

export const createSender = (deps: Deps): Sender => {
  const { clock, log, places } = deps
  const perOrg = Math.max(1, Math.floor(places / shareOfOrg))
  const bytes = createByteBudget(bytesMost)
  const orgs = new Map<string, number>()
  let underWay = 0
  let isDraining = false
  let isLooking = false
  let mustLookAgain = false

  const ends = createGather<EndedAttempt, Ended | null>({
    most: endsTogether,
    underWay: endsUnderWay,
    keyOf: ({ deliveryId }) => deliveryId,
    flush: (_, attempts) => endAttempts(deps.deliveries, attempts),
  })

  const claim = async (): Promise<void> => {
    const askedMs = clock.monotonicMs()
    const left = new Map([...orgs].map(([org, count]) => [org, perOrg - count]))
    const claimed = await claimAttempts(deps.deliveries, { places: places - underWay, perOrg, left })
    for (const one of claimed) void carry(one, askedMs)
  }

  // One look takes all that there are places for. What it passed over, because a place or a lock was missing, is told of by
  // whoever frees that.
  const lookUntilNone = async (): Promise<void> => {
    while (mustLookAgain && !isDraining && underWay < places) {
      mustLookAgain = false
      await claim()
    }
  }

  /** What goes wrong is told; the next round comes by itself. */
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
        // Somebody may have called while it was ending.
        if (mustLookAgain && underWay < places) nudge()
      })
  }

  /** From the claim to the end. It never rejects: what cannot be ended here is closed by whoever finds its lease expired. */
  const carry = async (claimed: Claimed, askedMs: number): Promise<void> => {
    const { org_id: org, delivery_id } = claimed
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
      hasMore = ended?.hasMore ?? false
      if (ended?.disable) await disable(org, claimed.webhook_id, ended.disable)
    } catch (error) {
      log.error('delivery attempt was not recorded', { delivery_id, org_id: org, error })
    }
    // Whoever was passed over for want of a place is looked at now.
    const wasFull = underWay >= places || (orgs.get(org) ?? 0) >= perOrg
    underWay--
    const count = (orgs.get(org) ?? 1) - 1
    if (count > 0) orgs.set(org, count)
    else orgs.delete(org)
    if (hasMore || wasFull) nudge()
  }

  /** Where it fails, the next delivery that fails does it. */
  const disable = (org: string, webhookId: string, reason: DisableReason): Promise<void> =>
    deps.disable(org, webhookId, reason).catch((error: unknown) => {
      log.warn('webhook could not be disabled', { webhook_id: webhookId, org_id: org, error })
    })

  const attemptOf = async (claimed: Claimed, askedMs: number): Promise<EndedAttempt> => {
    const held = await bytes.take(bodyBytesMost)
    try {
      const parcel = await pack(claimed, held)
      if (parcel === 'void' || parcel === 'unsent') return notSent(claimed, parcel)
      if (isDraining || clock.monotonicMs() - askedMs > startWithinMs) return notSent(claimed, 'unsent')
      return await send(parcel)
    } finally {
      held.giveBack()
    }
  }

  /** Body and secrets. Where the database or a key service is away, nothing was sent and nothing is lost. */
  const pack = async (claimed: Claimed, held: Held): Promise<Parcel | 'void' | 'unsent'> => {
    if (isDraining) return 'unsent'
    const { org_id: org, webhook_id, event_id, secret, old_secret } = claimed
    const place = secretPlaceOf(webhook_id)
    try {
      const [body, current, old] = await Promise.all([
        deps.bodyOf(org, event_id),
        deps.secrets.open(org, secret, place),
        old_secret === null ? undefined : deps.secrets.open(org, old_secret, place),
      ])
      if (body === null) return 'void'
      held.correct(Buffer.byteLength(body))
      return { claimed, body, secrets: old === undefined ? [current] : [current, old] }
    } catch (error) {
      log.warn('delivery could not be made ready', { delivery_id: claimed.delivery_id, org_id: org, error })
      return 'unsent'
    }
  }

  const send = async (parcel: Parcel): Promise<EndedAttempt> => {
    try {
      return await sendAttempt(deps, parcel)
    } catch (error) {
      const { delivery_id, org_id } = parcel.claimed
      log.error('delivery attempt failed on our side', { delivery_id, org_id, error })
      return { ...notSent(parcel.claimed, 'interrupted'), error: 'interrupted: The attempt failed on our side' }
    }
  }

  /** The compare-and-set makes it safe to offer an end again whose commit was not answered. */
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
    },
    isIdle: () => underWay === 0 && !isLooking,
  }
}

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

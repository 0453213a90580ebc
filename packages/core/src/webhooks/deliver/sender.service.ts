import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { createBatcher } from '@ars/platform/db/batcher'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { uuidTimeMs } from '@ars/platform/id'
import type { Fields, Log } from '@ars/platform/log/log'
import type { Tracer } from '@ars/platform/trace/tracer'
import {
  type ClaimAsk,
  type ClaimedItem,
  type Turn,
  usualBounds,
  type WorkBounds,
  type WorkQueue,
} from '@ars/platform/work/queue'
import type { SecretService } from '../../secrets/index.ts'
import { webhooksBounds } from '../bounds.ts'
import type { AttemptOutcome, DisableReason } from '../webhook/endpoint-queue.ts'
import { secretSealContext } from '../webhook/webhook.ts'
import { type DeliveryRequest, sendAttempt } from './attempt.service.ts'
import { type Ended, type EndedAttempt, endAttempts } from './delivery-end.store.ts'
import type { DisableService } from './disable.service.ts'
import { type Claimed, claimAttempts } from './endpoint-queue.store.ts'

/** An attempt that this worker has started. */
type ClaimedAttempt = ClaimedItem & { readonly attempt: Claimed; readonly askedMs: number }

export type Sender = {
  queue: WorkQueue<ClaimedAttempt>
  /** Records the ends of attempts of any worker. */
  end(attempt: EndedAttempt): Promise<Ended | null>
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
  /** Attempts of one delivery. */
  maxAttempts?: number | undefined
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
  onAttempt(metrics: AttemptMetrics): void
}

/** One organisation's share of a worker, and what stays free for organisations with little use. */
const [shareOfOrg, shareKept] = [4, 8]
// An attempt, with its wait for a connection, is one turn. Its end is repeated for 15 s when the database is away.
const turnMs = 20_000

// From this many attempts in flight on, places that become free are gathered. With fewer, the next delivery starts at once.
export const deliveryBounds = (places: number): WorkBounds => ({
  ...usualBounds,
  places,
  keptPlaces: Math.floor(places / shareKept),
  perOrg: Math.max(1, Math.floor(places / shareOfOrg)),
  turnMs,
  maxBytes: webhooksBounds.bodiesInFlight.bytes,
  gather: { from: 16, ms: 5 },
  idleMs: 500,
})

// The size of a body is unknown before it is loaded: assume the largest output and input of a run plus the envelope.
const maxBodyBytes = limits.outputBytes + 2 * limits.bodyBytes
// A request takes at most 11 s with its wait for a connection, and must end before its lease.
const startWithinMs = 3000
// One at a time: two at once would wait for each other's endpoint locks.
const endsTogether = webhooksBounds.endsTogether.count
const endsUnderWay = 1
const endTries = webhooksBounds.endTries.count
const endRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

/**
 * Due deliveries. A delivery is due in the queue of its endpoint, which bounds how many are in flight and keeps their order, and the lease of
 * an attempt is not prolonged: an attempt has a time limit, and a job closes those of workers that died.
 */
export const createSender = (deps: Deps): Sender => {
  const { clock, log, tracer } = deps
  const isTraced = tracer !== undefined

  const ends = createBatcher<EndedAttempt, Ended | null>({
    most: endsTogether,
    underWay: endsUnderWay,
    keyOf: ({ deliveryId }) => deliveryId,
    flush: (_, attempts) => endAttempts(deps.deliveries, attempts, deps.maxAttempts),
  })

  const claim = async (ask: ClaimAsk): Promise<{ items: ClaimedAttempt[]; isMore: boolean }> => {
    const askedMs = clock.monotonicMs()
    const started = await claimAttempts(deps.deliveries, { ...ask, isTraced })
    const items = started.map((attempt) => ({
      ...{
        org: attempt.org_id,
        id: attempt.delivery_id,
        claim: String(attempt.number),
        tries: 0,
        lagMs: attempt.lag_ms,
      },
      ...{ attempt, askedMs },
    }))
    // An endpoint that has more says so when one of its attempts ends.
    return { items, isMore: false }
  }

  /** Answers whether its endpoint has more. An attempt that cannot be ended here is closed after its lease expires. */
  const deliver = async ({ attempt: claimed, askedMs, org }: ClaimedAttempt, turn: Turn): Promise<boolean> => {
    try {
      const attempt = await attemptOf(claimed, { askedMs, turn })
      const ended = await end(attempt)
      deps.onAttempt({
        outcome: ended ? attempt.outcome : 'interrupted',
        durationMs: attempt.durationMs,
        lagMs: lagOf(claimed),
      })
      if (ended) tell(claimed, attempt)
      if (ended?.disable) await disable(org, claimed.webhook_id, ended.disable)
      return ended?.hasMore ?? false
    } catch (error) {
      log.error('delivery attempt was not recorded', { ...factsOf(claimed), error })
      return false
    }
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

  const attemptOf = async (
    claimed: Claimed,
    { askedMs, turn }: { askedMs: number; turn: Turn },
  ): Promise<EndedAttempt> => {
    const bytes = await turn.takeBytes(maxBodyBytes)
    if (!turn.mayGoOn()) return notSent(claimed, 'unsent')
    const request = await prepare(claimed, bytes)
    if (request === 'void' || request === 'unsent') return notSent(claimed, request)
    if (!turn.mayGoOn() || clock.monotonicMs() - askedMs > startWithinMs) return notSent(claimed, 'unsent')
    return await send(request)
  }

  /** Body and secrets. When the database or a key service is unavailable, nothing was sent and nothing is lost. */
  const prepare = async (
    claimed: Claimed,
    bytes: Awaited<ReturnType<Turn['takeBytes']>>,
  ): Promise<DeliveryRequest | 'void' | 'unsent'> => {
    const { org_id: org, webhook_id, event_id, secret, old_secret } = claimed
    const sealContext = secretSealContext(webhook_id)
    try {
      const [body, current, old] = await Promise.all([
        deps.bodyOf(org, event_id),
        deps.secrets.open(org, secret, sealContext),
        old_secret === null ? undefined : deps.secrets.open(org, old_secret, sealContext),
      ])
      if (body === null) return 'void'
      bytes.correct(Buffer.byteLength(body))
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
    end,
    queue: {
      name: 'deliveries',
      claim,
      renew: async (items) => new Set(items.map(({ id }) => id)),
      work: async (item, turn) =>
        (await deliver(item, turn)) ? { kind: 'again', progressed: true } : { kind: 'done' },
      // The end of the attempt has given the delivery back, or its lease does.
      giveBack: async () => undefined,
      bury: async () => undefined,
    },
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

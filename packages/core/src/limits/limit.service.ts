import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { IdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { NoAnswer, type Scripts } from '@ars/platform/redis/scripts'
import type { Bucket } from '../ctx.ts'
import { createBucketMemory, giveBackOwn, type KnownBucket, takeOwn, takeShare, unitsOwed } from './bucket-memory.ts'
import { startHeartbeat } from './gateway.service.ts'
import { type Reading, read } from './gcra.ts'
import { createSharedBuckets, type SharedAnswer } from './shared-bucket.service.ts'
import { type RateVerdict, verdictOf } from './verdict.ts'

/**
 * Rate limits: one bucket for all gateways in Redis, or a share of it in each gateway while Redis is unavailable. Redis
 * is not trusted, so each gateway also counts its own requests against the whole limit. An installation of one process
 * may have no Redis: then that process counts alone, and a restart empties its buckets.
 */
export type Limits = {
  /** Never fails, and never takes longer than the Redis timeout. */
  take(bucket: Bucket): Promise<RateVerdict>
  /** A separate bucket of the same size, for lookups on the way to a rejection. */
  takeLookup(bucket: Bucket): Promise<RateVerdict>
  close(): Promise<void>
}

/** While Redis is unavailable, the pause between probes doubles from the first to the last value. */
const probeMs = { first: 250, last: 1_000 } as const

/** For this long after its return Redis must answer every call in time before a single late answer is tolerated. */
const steadyMs = 1_000

type Outage = { readonly sinceMs: number }

export const createLimits = (deps: {
  /** Undefined: there is no Redis, and this process is the only one. */
  scripts: Scripts | undefined
  feedReads: Database
  clock: Clock
  newId: IdMaker
  log: Log
}): Limits => {
  const { clock, log } = deps
  const memory = createBucketMemory()
  const { scripts } = deps
  const shared = scripts && createSharedBuckets(scripts)
  const heartbeat = startHeartbeat(deps)
  const closing = new AbortController()
  let outage: Outage | null = null
  let backSinceMs = Number.NEGATIVE_INFINITY
  let probing: Promise<void> = Promise.resolve()
  const nowUs = (): number => Math.floor(clock.monotonicMs() * 1000)

  const take = async (bucket: Bucket): Promise<RateVerdict> => {
    const known = memory.get(bucket)
    const atUs = nowUs()
    if (known.refusedUntilUs > atUs) return refuseAgain(known, atUs)
    // The stricter of both counts: the bucket in Redis, which others may have emptied, and that of this process.
    const own = takeOwn(known, atUs)
    if (!own.allowed) return verdictOf(known, false, own.reading)
    const verdict = await takeShared(known, atUs)
    if (!verdict.allowed) giveBackOwn(known)
    return verdict
  }

  const takeShared = async (known: KnownBucket, atUs: number): Promise<RateVerdict> => {
    if (!shared) return takeAlone(known, atUs)
    if (outage) return takeHere(known, atUs)
    try {
      const onLate = (): void => void known.countedTwice++
      return accept(known, await shared.take(known.bucket, onLate))
    } catch (error) {
      fallBack(error)
      return takeHere(known, nowUs())
    }
  }

  const accept = (known: KnownBucket, { allowed, used }: SharedAnswer): RateVerdict => {
    const atUs = nowUs()
    const reading = read(used, { ...known.bucket, weight: 1 })
    // An answer that arrives after the fallback must not overwrite what was taken since.
    if (!known.told) known.level = { used, atUs }
    if (!allowed) known.refusedUntilUs = atUs + reading.nextUs
    return verdictOf(known, allowed, reading)
  }

  const refuseAgain = (known: KnownBucket, atUs: number): RateVerdict => {
    return verdictOf(known, false, { remaining: 0, nextUs: known.refusedUntilUs - atUs })
  }

  const takeAlone = (known: KnownBucket, atUs: number): RateVerdict => {
    const { allowed, size } = takeShare(known, 1, atUs)
    return verdictOf(known, allowed, read(known.level.used, size))
  }

  const takeHere = (known: KnownBucket, atUs: number): RateVerdict => {
    const { allowed, size } = takeShare(known, heartbeat.gateways(), atUs)
    if (allowed) memory.lend(known)
    const reading: Reading = read(known.level.used, size)
    return verdictOf(known, allowed, reading)
  }

  const fallBack = (error: unknown): void => {
    if (outage || closing.signal.aborted) return
    const begun: Outage = { sinceMs: clock.monotonicMs() }
    outage = begun
    log.warn('rate limits are counted in process', { gateways: heartbeat.gateways(), error })
    probing = probe(begun)
    // A single late answer: it usually arrives soon. When this repeats, Redis is too slow, and it is used again only
    // when it answers in time.
    if (!(error instanceof NoAnswer) || begun.sinceMs - backSinceMs < steadyMs) return
    const isHiccup = (): boolean => clock.monotonicMs() - begun.sinceMs < probeMs.first
    // One turn of the event loop later: first all callers that gave up record what Redis has counted for them.
    error.late.then(
      () => isHiccup() && setImmediate(comeBack, begun),
      () => undefined,
    )
  }

  const probe = async (ours: Outage): Promise<void> => {
    for (let pauseMs: number = probeMs.first; ; pauseMs = Math.min(2 * pauseMs, probeMs.last)) {
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      if (closing.signal.aborted || outage !== ours) return
      if (await scripts?.ping()) return comeBack(ours)
    }
  }

  const comeBack = (ours: Outage): void => {
    if (outage !== ours) return
    outage = null
    backSinceMs = clock.monotonicMs()
    log.info('rate limits are shared again', { away_ms: Math.round(backSinceMs - ours.sinceMs) })
    settle()
  }

  /** Best effort: reports requests that were taken without Redis. If that fails, they are not counted. */
  const settle = (): void => {
    const [gateways, atUs] = [heartbeat.gateways(), nowUs()]
    const charges = memory.settle().map((known) => {
      const units = unitsOwed(known, gateways, atUs)
      known.told = null
      known.countedTwice = 0
      return { bucket: known.bucket, units }
    })
    shared?.charge(charges.filter(({ units }) => units > 0)).catch(() => undefined)
  }

  return {
    take,
    takeLookup: (bucket) => take({ ...bucket, id: `${bucket.id}:lookup` }),
    close: async () => {
      closing.abort()
      await Promise.all([probing, heartbeat.close()])
    },
  }
}

import type { Bucket } from '../ctx.ts'
import { limitsBounds } from './bounds.ts'
import { emptyLevel, type Level, levelAt, type Reading, read, type Size, take, unitsPerRequest } from './gcra.ts'
import { policyOf } from './verdict.ts'

/** What this process knows about a bucket. */
export type KnownBucket = {
  readonly bucket: Bucket
  readonly policy: string
  /** The state that Redis last reported; while Redis is unavailable, the local count. */
  level: Level
  /**
   * The requests that this process let pass, counted without Redis, which is not trusted: whatever it answers, a process
   * lets pass at most the plan's limit.
   */
  own: Level
  /**
   * Redis rejected a request, and other gateways can only have used more since: it is not asked again before this
   * time.
   */
  refusedUntilUs: number
  /** The last state from Redis before local requests were taken. Null: none were. */
  told: Level | null
  /** Requests that were taken locally because Redis was late, and that Redis has counted too. */
  countedTwice: number
}

/** Buckets that a process remembers. The least recently used one is evicted first. */
const maxBuckets = limitsBounds.bucketsKnown.count

export type BucketMemory = {
  get(bucket: Bucket): KnownBucket
  /** Buckets with requests taken without Redis; afterwards they count as reported. */
  settle(): KnownBucket[]
  /** Records a request that was taken without Redis. */
  lend(known: KnownBucket): void
}

export const createBucketMemory = (most: number = maxBuckets): BucketMemory => {
  const buckets = new Map<string, KnownBucket>()
  const lent = new Set<KnownBucket>()

  const remember = (bucket: Bucket, { level, own }: Pick<KnownBucket, 'level' | 'own'>): KnownBucket => {
    const known = { bucket, policy: policyOf(bucket), level, own, refusedUntilUs: 0, told: null, countedTwice: 0 }
    buckets.set(bucket.id, known)
    if (buckets.size > most) {
      const [oldest] = buckets.values()
      if (oldest) forget(oldest)
    }
    return known
  }

  const forget = (known: KnownBucket): void => {
    buckets.delete(known.bucket.id)
    lent.delete(known)
  }

  return {
    get: (bucket) => {
      const known = buckets.get(bucket.id)
      if (!known) return remember(bucket, { level: emptyLevel, own: emptyLevel })
      const isSame = known.bucket.requestsPerMinute === bucket.requestsPerMinute && known.bucket.burst === bucket.burst
      if (!isSame) {
        // The organisation's limits have changed: used units stay used, and a rejected request may pass now.
        forget(known)
        return remember(bucket, known)
      }
      buckets.delete(bucket.id)
      buckets.set(bucket.id, known)
      return known
    },
    lend: (known) => void lent.add(known),
    settle: () => {
      const all = [...lent]
      lent.clear()
      return all
    },
  }
}

/**
 * Counts a request in this process before Redis is asked. A process sees only its share of the requests, so it refuses
 * nothing that an honest Redis allows: `slackUs` covers the time that a question to Redis may take.
 */
export const takeOwn = (known: KnownBucket, nowUs: number): { allowed: boolean; reading: Reading } => {
  const { requestsPerMinute, burst } = known.bucket
  const size = {
    requestsPerMinute,
    burst: burst + 1 + Math.ceil((slackUs * requestsPerMinute) / unitsPerRequest),
    weight: 1,
  }
  const { allowed, level } = take(known.own, size, nowUs)
  known.own = level
  return { allowed, reading: read(level.used, size) }
}

/** Redis refused the request, so it does not count. */
export const giveBackOwn = (known: KnownBucket): void => {
  known.own = { ...known.own, used: Math.max(0, known.own.used - unitsPerRequest) }
}

const slackUs = 100_000

/** Takes a request without Redis: each gateway has its share of the state that Redis last reported. */
export const takeShare = (known: KnownBucket, gateways: number, nowUs: number): { allowed: boolean; size: Size } => {
  const size = { ...known.bucket, weight: gateways }
  const { allowed, level } = take(known.level, size, nowUs)
  if (allowed && known.told === null) {
    known.told = known.level
    known.countedTwice = 0
  }
  known.level = level
  return { allowed, size }
}

/** The units that were taken without Redis and have not expired: they must be reported to Redis. */
export const unitsOwed = (known: KnownBucket, gateways: number, nowUs: number): number => {
  const { bucket, level, told, countedTwice } = known
  if (!told) return 0
  const levelOf = (each: Level): number => levelAt(each, bucket.requestsPerMinute, nowUs)
  const own = Math.floor((levelOf(level) - levelOf(told)) / gateways)
  return Math.max(0, own - countedTwice * unitsPerRequest)
}

import type { Bucket } from '../ctx.ts'
import { emptyLevel, type Level, levelAt, type Size, take, unitsPerRequest } from './gcra.ts'
import { policyOf } from './verdict.ts'

/** What this process knows of a bucket. */
export type KnownBucket = {
  readonly bucket: Bucket
  readonly policy: string
  /** As Redis last told it; while Redis is away, as it is counted here. */
  level: Level
  /** Redis has refused it, and others can only have used more of it since: until then it is not asked again. */
  refusedUntilUs: number
  /** What Redis last told, once something was taken without it. Null: nothing was. */
  told: Level | null
  /** Requests that were taken here because Redis was late, and that it has counted as well. */
  countedTwice: number
}

/** Buckets that a process keeps in mind. The one that was not asked for longest is forgotten first. */
const bucketsMost = 50_000

export type BucketMemory = {
  get(bucket: Bucket): KnownBucket
  /** Those of which something was taken without Redis; they are then counted as told. */
  settle(): KnownBucket[]
  /** Notes that something was taken without Redis. */
  lend(known: KnownBucket): void
}

export const createBucketMemory = (most: number = bucketsMost): BucketMemory => {
  const buckets = new Map<string, KnownBucket>()
  const lent = new Set<KnownBucket>()

  const remember = (bucket: Bucket, level: Level): KnownBucket => {
    const known = { bucket, policy: policyOf(bucket), level, refusedUntilUs: 0, told: null, countedTwice: 0 }
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
      if (!known) return remember(bucket, emptyLevel)
      const isSame = known.bucket.requestsPerMinute === bucket.requestsPerMinute && known.bucket.burst === bucket.burst
      if (!isSame) {
        // The organisation has other limits now: what was used stays used, what was refused may pass.
        forget(known)
        return remember(bucket, known.level)
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

/** Takes a request without Redis: each of so many gateways has its share of what Redis last told. */
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

/** The units that were taken without Redis and have not run out since: what Redis must be told of. */
export const unitsOwed = (known: KnownBucket, gateways: number, nowUs: number): number => {
  const { bucket, level, told, countedTwice } = known
  if (!told) return 0
  const levelOf = (each: Level): number => levelAt(each, bucket.requestsPerMinute, nowUs)
  const own = Math.floor((levelOf(level) - levelOf(told)) / gateways)
  return Math.max(0, own - countedTwice * unitsPerRequest)
}

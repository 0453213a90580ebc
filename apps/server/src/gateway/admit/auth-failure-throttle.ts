import type { Clock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import { networkOf } from '@ars/platform/network'
import { serverBounds } from '../../bounds.ts'

/**
 * A token bucket for each address with failed authentication. Every well-formed guess costs a look-up; an address with
 * an empty bucket gets none. Credentials that were valid recently are not throttled because of others behind the same
 * address.
 */
export type AuthFailureThrottle = {
  /** Seconds until this credential may be checked; 0: now. */
  waitSeconds(address: string, credential: string): number
  failed(address: string, credential: string): void
  passed(credential: string): void
}

// An evicted address starts with a full bucket. An attacker with that many addresses gains nothing by it.
const maxAddresses = serverBounds.addressesKnown.count
const maxCredentials = serverBounds.credentialsKnown.count
const rememberedMs = 600_000

type Bucket = { tokens: number; atMs: number }

export const createAuthFailureThrottle = ({
  perMinute,
  clock,
}: {
  perMinute: number
  clock: Clock
}): AuthFailureThrottle => {
  const buckets = new Map<string, Bucket>()
  const passedAtMs = new Map<number, number>()
  const mark = createMark()
  const tokenMs = 60_000 / perMinute

  const refill = (bucket: Bucket): void => {
    const nowMs = clock.monotonicMs()
    bucket.tokens = Math.min(perMinute, bucket.tokens + (nowMs - bucket.atMs) / tokenMs)
    bucket.atMs = nowMs
  }

  const isKnown = (credential: string): boolean => {
    const atMs = passedAtMs.get(mark(credential))
    return atMs !== undefined && clock.monotonicMs() - atMs < rememberedMs
  }

  return {
    waitSeconds: (address, credential) => {
      const bucket = buckets.size === 0 ? undefined : buckets.get(networkOf(address))
      if (!bucket) return 0
      refill(bucket)
      if (bucket.tokens >= 1 || isKnown(credential)) return 0
      return Math.max(1, Math.ceil(((1 - bucket.tokens) * tokenMs) / 1_000))
    },
    failed: (address, credential) => {
      const network = networkOf(address)
      const bucket = buckets.get(network) ?? { tokens: perMinute, atMs: clock.monotonicMs() }
      refill(bucket)
      bucket.tokens = Math.max(0, bucket.tokens - 1)
      // Moved to the end, so that the least recently used entry is evicted.
      buckets.delete(network)
      if (buckets.size >= maxAddresses) forgetOldest(buckets)
      buckets.set(network, bucket)
      passedAtMs.delete(mark(credential))
    },
    passed: (credential) => {
      const name = mark(credential)
      const nowMs = clock.monotonicMs()
      const beforeMs = passedAtMs.get(name)
      if (beforeMs !== undefined && nowMs - beforeMs < rememberedMs / 2) return
      passedAtMs.delete(name)
      if (passedAtMs.size >= maxCredentials) forgetOldest(passedAtMs)
      passedAtMs.set(name, nowMs)
    },
  }
}

const forgetOldest = <Key>(map: Map<Key, unknown>): void => {
  map.delete(map.keys().next().value as Key)
}

/**
 * 53 bits of a keyed hash of the credential: enough to recognise it, not enough to recover it. Computed for every
 * request, so it must be cheap; a collision costs one look-up.
 */
const createMark = (): ((text: string) => number) => {
  const seed = randomBytes(8)
  const [seedA, seedB] = [seed.readInt32LE(0), seed.readInt32LE(4)]
  return (text) => {
    let a = seedA
    let b = seedB
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      a = Math.imul(a ^ code, 0x9e3779b1)
      b = Math.imul(b ^ code, 0x5f356495)
    }
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
    return (b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)
  }
}

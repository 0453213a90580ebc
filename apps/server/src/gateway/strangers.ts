import type { Clock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import { networkOf } from './network.ts'

/**
 * A bucket for each address from which somebody failed to authenticate. Guessing keys is hopeless, and yet each guess
 * that has the right form costs a look-up: from an address whose bucket is empty there are none. Credentials that were
 * valid of late are not held up by the strangers behind the same address.
 */
export type Strangers = {
  /** Seconds until this credential may be looked at; 0: now. */
  waitSeconds(address: string, credential: string): number
  failed(address: string, credential: string): void
  passed(credential: string): void
}

// An address that fell out begins anew, which is no more than an attacker with so many addresses has anyway.
const addressesMost = 50_000
const credentialsMost = 50_000
const rememberedMs = 600_000

type Bucket = { tokens: number; atMs: number }

export const createStrangers = ({ perMinute, clock }: { perMinute: number; clock: Clock }): Strangers => {
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
      // Put last again, so that the one that falls out is the one that was quiet for longest.
      buckets.delete(network)
      if (buckets.size >= addressesMost) forgetOldest(buckets)
      buckets.set(network, bucket)
      passedAtMs.delete(mark(credential))
    },
    passed: (credential) => {
      const name = mark(credential)
      const nowMs = clock.monotonicMs()
      const beforeMs = passedAtMs.get(name)
      if (beforeMs !== undefined && nowMs - beforeMs < rememberedMs / 2) return
      passedAtMs.delete(name)
      if (passedAtMs.size >= credentialsMost) forgetOldest(passedAtMs)
      passedAtMs.set(name, nowMs)
    },
  }
}

const forgetOldest = <Key>(map: Map<Key, unknown>): void => {
  map.delete(map.keys().next().value as Key)
}

/**
 * 53 bits of a credential under a secret of this process: enough to know it again, and nothing that a credential could
 * be read from. It is made for every request, so it has to be cheap; two that collide cost a look-up.
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

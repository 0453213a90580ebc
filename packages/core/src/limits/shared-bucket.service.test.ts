import { plans } from '@ars/contract'
import { createLog } from '@ars/platform/log/log'
import { openScripts, type Scripts, script } from '@ars/platform/redis/scripts'
import { testRedisUrl } from '@ars/testkit/stack'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bucketArguments, bucketScript } from './bucket-script.ts'
import { emptyLevel, type Level, take, unitsPerRequest } from './gcra.ts'
import { createSharedBuckets } from './shared-bucket.service.ts'

const gcra = script(bucketScript)
const one = { asking: 1, units: 0 }
const startUs = 1_800_000_000_000_000
let scripts: Scripts
beforeAll(async () => {
  scripts = await openScripts({ url: testRedisUrl(), log: createLog({ level: 'silent' }), answerTimeoutMs: 10_000 })
})
afterAll(() => scripts.close())

let buckets = 0
const newBucket = (size: { requestsPerMinute: number; burst: number }) => ({
  ...size,
  id: `test-${startedAt}-${buckets++}`,
})
const startedAt = Date.now()

describe('the script in Redis', () => {
  test('computes the same as the function, over any schedule of any buckets', async () => {
    const size = fc.record({
      requestsPerMinute: fc.oneof(fc.constantFrom(10, 100, 10_000), fc.integer({ min: 1, max: 10_000_000 })),
      burst: fc.integer({ min: 1, max: 40 }),
    })
    const schedule = fc.array(fc.tuple(fc.nat(1), fc.oneof(fc.constant(0), fc.nat(3_000_000), fc.nat(90_000_000))), {
      minLength: 20,
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(size, size, schedule, async (first, second, asks) => {
        const pair = [newBucket(first), newBucket(second)] as const
        const levels: [Level, Level] = [emptyLevel, emptyLevel]
        let nowUs = startUs
        for (const [which, pauseUs] of asks) {
          nowUs += pauseUs
          const bucket = pair[which] ?? pair[0]
          const expected = take(levels[which] ?? emptyLevel, { ...bucket, weight: 1 }, nowUs)
          levels[which] = expected.level
          const answer = await scripts.run(gcra, [bucket.id], [String(nowUs), ...bucketArguments(bucket, one)])
          expect(answer).toEqual([expected.allowed ? 1 : 0, expected.level.used])
        }
      }),
    )
  })

  test('answers requests that ask together as it would answer one after the other', async () => {
    const asks = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat(30_000_000)), { minLength: 3, maxLength: 8 })
    const size = fc.record({
      requestsPerMinute: fc.integer({ min: 1, max: 600 }),
      burst: fc.integer({ min: 1, max: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(size, asks, async (chosen, groups) => {
        const bucket = newBucket(chosen)
        let level = emptyLevel
        let nowUs = startUs
        const shared = createSharedBuckets(scripts, () => String(nowUs))
        for (const [together, pauseUs] of groups) {
          nowUs += pauseUs
          const expected = Array.from({ length: together }, () => {
            const taken = take(level, { ...bucket, weight: 1 }, nowUs)
            level = taken.level
            return { allowed: taken.allowed, used: level.used }
          })
          const answers = await Promise.all(expected.map(() => shared.take(bucket)))
          expect(answers).toEqual(expected)
        }
      }),
    )
  })

  test('is asked once for all requests that come while it answers, and not later than 5 ms after them (limitsBounds.answerAwaited)', async () => {
    const calls: number[] = []
    const held: (() => void)[] = []
    const slow: Scripts = {
      ...scripts,
      run: async (asked, keys, values) => {
        calls.push(Number(values[3]))
        if (calls.length === 1) await new Promise<void>((resolve) => held.push(resolve))
        return scripts.run(asked, keys, values)
      },
    }
    const shared = createSharedBuckets(slow, () => String(startUs))
    const bucket = newBucket({ requestsPerMinute: 1, burst: 100 })
    const first = shared.take(bucket)
    await expect.poll(() => held.length).toBe(1)
    const later = Promise.all([1, 2, 3].map(() => shared.take(bucket)))
    // The first call is still under way.
    expect((await later).every(({ allowed }) => allowed)).toBe(true)
    expect(calls).toEqual([1, 3])
    held[0]?.()
    expect((await first).used).toBe(4 * unitsPerRequest)
  })

  test('stores nothing for an unused bucket', async () => {
    const bucket = newBucket({ requestsPerMinute: 10_000_000, burst: 1 })
    const left = script(`return redis.call('EXISTS', KEYS[1])`)
    const shared = createSharedBuckets(scripts)
    expect((await shared.take(bucket)).allowed).toBe(true)
    await expect.poll(() => scripts.run(left, [`ars:bucket:${bucket.id}`], [])).toBe(0)
  })

  test('charges usage admitted without it, up to the size of the bucket', async () => {
    const bucket = newBucket({ requestsPerMinute: 1, burst: 10 })
    const shared = createSharedBuckets(scripts, () => String(startUs))
    await shared.charge([{ bucket, units: 4 * unitsPerRequest }])
    expect(await shared.take(bucket)).toEqual({ allowed: true, used: 5 * unitsPerRequest })
    await shared.charge([{ bucket, units: 100 * unitsPerRequest }])
    expect(await shared.take(bucket)).toEqual({ allowed: false, used: 10 * unitsPerRequest })
  })
})

/** Sends `count` concurrent requests and returns how many pass. */
const askAtOnce = async (
  shared: ReturnType<typeof createSharedBuckets>,
  bucket: ReturnType<typeof newBucket>,
  count: number,
): Promise<number> => {
  let passed = 0
  // A few calls at a time, so that a busy machine answers each of them in time.
  for (let left = count; left > 0; left -= 400) {
    const answers = await Promise.all(Array.from({ length: Math.min(400, left) }, () => shared.take(bucket)))
    passed += answers.filter(({ allowed }) => allowed).length
  }
  return passed
}

describe('the plans', () => {
  const table = [
    ['[S50] demo: 10 a minute, burst 15', plans.demo],
    ['Free: 100 a minute, burst 150', plans.free],
    ['Developer: 1,000 a minute, burst 1,500', plans.developer],
    ['Business: 10,000 a minute, burst 15,000', plans.business],
    ['Enterprise: 777 a minute, burst 12, as its operator has set', { requestsPerMinute: 777, burst: 12 }],
  ] as const

  test.for(table)(
    '%s: exactly the burst and the refill pass, over two gateways',
    async ([, { requestsPerMinute, burst }]) => {
      const bucket = newBucket({ requestsPerMinute, burst })
      let nowUs = startUs
      const gateways = [0, 1].map(() => createSharedBuckets(scripts, () => String(nowUs)))
      const askBoth = async (count: number): Promise<number> => {
        const passed = await Promise.all(gateways.map((shared) => askAtOnce(shared, bucket, count)))
        return passed.reduce((sum, one) => sum + one, 0)
      }
      expect(await askBoth(burst)).toBe(burst)
      const refill = Math.min(requestsPerMinute, burst)
      nowUs += (refill / requestsPerMinute) * 60_000_000
      expect(await askBoth(refill)).toBe(refill)
      nowUs += 3_600_000_000
      expect(await askBoth(burst)).toBe(burst)
    },
  )
})

import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { connectRedis, whenConnected } from '@ars/platform/redis/connection'
import { NoAnswer, openScripts, type Scripts } from '@ars/platform/redis/scripts'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type Link, openLink } from '@ars/testkit/slow/link'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noteGateway } from './gateway.store.ts'
import { createLimits, type Limits } from './limit.service.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let feedReads: Database
let link: Link
beforeAll(async () => {
  database = await createTestDatabase()
  feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 2, log })
  link = await openLink(testRedisUrl())
})
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  link.set('up')
})
afterAll(async () => {
  link.close()
  await feedReads.close()
  await database.drop()
})

/** A gateway's limiter that counts its Redis calls. */
const startGateway = async ({ through = link.url, isLate = false }: { through?: string; isLate?: boolean } = {}) => {
  const asked: number[] = []
  // Long enough for a busy machine: a live gateway must not count as gone.
  const redis = await openScripts({ url: through, log, answerTimeoutMs: 1_000 })
  const scripts: Scripts = {
    ...redis,
    run: (script, keys, values) => {
      const answer = redis.run(script, keys, values)
      // Redis executes the call and answers after the caller has given up.
      if (isLate && asked.length === 0) answer.catch(() => undefined)
      asked.push(keys.length)
      return isLate && asked.length === 1 ? Promise.reject(new NoAnswer(1_000, answer)) : answer
    },
  }
  const limits = createLimits({ scripts, feedReads, clock: systemClock, newId, log })
  closers.push(async () => {
    await limits.close()
    redis.close()
  })
  return { limits, asked }
}

/** One token per minute, so that none is refilled while a test runs. */
const newBucket = (burst: number, requestsPerMinute = 1) => ({ id: newId('key'), requestsPerMinute, burst })

const passesOf = async (limits: Limits, bucket: ReturnType<typeof newBucket>, count: number): Promise<number> => {
  const verdicts = await Promise.all(Array.from({ length: count }, () => limits.take(bucket)))
  return verdicts.filter(({ allowed }) => allowed).length
}

describe('a rate limit', () => {
  test('[S75] is shared by all gateways: exactly the burst passes, and a refusal states when to retry', {
    timeout: 30_000,
  }, async () => {
    const [one, other] = [await startGateway(), await startGateway()]
    const bucket = newBucket(10, 20)
    const passed = await Promise.all([one, other].map(({ limits }) => passesOf(limits, bucket, 6)))
    expect(passed.reduce((sum, each) => sum + each)).toBe(10)
    const refused = await one.limits.take(bucket)
    expect(refused).toMatchObject({ allowed: false, limit: 10, remaining: 0 })
    expect([1, 2, 3]).toContain(refused.retryAfterSeconds)
    expect(refused.policy).toBe('"requests";q=10;w=30')
    const again = { timeout: 15_000, interval: refused.retryAfterSeconds * 1000 }
    await expect.poll(async () => (await one.limits.take(bucket)).allowed, again).toBe(true)
  })

  test('is read in one Redis call for all concurrent requests', async () => {
    const { limits, asked } = await startGateway()
    await Promise.all(Array.from({ length: 50 }, () => limits.take(newBucket(1))))
    expect(asked).toEqual([50])
  })

  test('that Redis has refused is refused locally until the next request is due', async () => {
    const { limits, asked } = await startGateway()
    const bucket = newBucket(1)
    expect(await passesOf(limits, bucket, 2)).toBe(1)
    expect(await passesOf(limits, bucket, 100)).toBe(0)
    expect(asked).toEqual([1])
    const { allowed, retryAfterSeconds, resetSeconds } = await limits.take(bucket)
    expect(allowed).toBe(false)
    expect(retryAfterSeconds).toBe(resetSeconds)
    expect(retryAfterSeconds).toBeGreaterThan(0)
    // The limit is higher now and takes effect at once.
    expect(await passesOf(limits, { ...bucket, burst: 3 }, 5)).toBe(2)
  })

  test('counts lookups separately', async () => {
    const { limits } = await startGateway()
    const bucket = newBucket(2)
    expect(await passesOf(limits, bucket, 3)).toBe(2)
    const lookups = await Promise.all([1, 2, 3].map(() => limits.takeLookup(bucket)))
    expect(lookups.map(({ allowed }) => allowed)).toEqual([true, true, false])
  })
})

describe('while Redis is unavailable', () => {
  test.for(['refused', 'hung'] as const)(
    '(%s) a single gateway admits the requests that Redis had left',
    async (state) => {
      const { limits } = await startGateway()
      const bucket = newBucket(10)
      expect(await passesOf(limits, bucket, 6)).toBe(6)
      link.set(state)
      expect(await passesOf(limits, bucket, 10)).toBe(4)
      expect(await limits.take(bucket)).toMatchObject({ allowed: false, remaining: 0 })
    },
  )

  test('each of several gateways admits its share', async () => {
    await noteGateway(feedReads, '01900000-0000-7000-8000-000000000001')
    const { limits } = await startGateway()
    const bucket = newBucket(10)
    expect(await passesOf(limits, bucket, 2)).toBe(2)
    // Its heartbeat has found the other gateway by now, or soon will.
    link.set('refused')
    await expect.poll(async () => passesOf(limits, newBucket(10), 10)).toBe(5)
    expect(await passesOf(limits, bucket, 10)).toBe(4)
    await feedReads.once(null, { text: 'delete from gateways', values: [] })
  })

  test('a charge that Redis counted but answered too late is not charged twice', async () => {
    const [late, whole] = [await startGateway({ isLate: true }), await startGateway()]
    const bucket = newBucket(1_000)
    expect(await passesOf(late.limits, bucket, 10)).toBe(10)
    let takes = 10
    const asksAgain = async (): Promise<boolean> => {
      takes++
      await late.limits.take(bucket)
      return late.asked.length > 1
    }
    await expect.poll(asksAgain, { timeout: 20_000 }).toBe(true)
    // A second charge would add ten more.
    const { remaining } = await whole.limits.take(bucket)
    expect(1_000 - 1 - remaining).toBeGreaterThanOrEqual(10)
    expect(1_000 - 1 - remaining).toBeLessThanOrEqual(takes)
  })

  test('a gateway that starts then neither delays nor refuses requests because of it', async () => {
    link.set('refused')
    const { limits } = await startGateway()
    expect(await limits.take(newBucket(3))).toMatchObject({ allowed: true, remaining: 2 })
  })

  test('admitted requests are charged to Redis after it recovers', async () => {
    const [cut, whole] = [await startGateway(), await startGateway({ through: testRedisUrl() })]
    await feedReads.once(null, { text: 'delete from gateways', values: [] })
    const bucket = newBucket(1_000)
    expect(await passesOf(cut.limits, bucket, 10)).toBe(10)
    link.set('hung')
    const passed = await passesOf(cut.limits, bucket, 100)
    expect(passed).toBe(100)
    link.set('up')
    const remaining = async () => (await whole.limits.take(bucket)).remaining
    // Each check takes one token too, so the rest lies below the value without the charge.
    let looks = 0
    await expect
      .poll(async () => 990 - (await remaining()) - ++looks, { timeout: 20_000, interval: 200 })
      .toBeGreaterThanOrEqual(passed / 2)
  })
})

describe('the set of live gateways', () => {
  test('contains recently seen gateways; a closed gateway is removed at once', async () => {
    const me = '01900000-0000-7000-8000-000000000009'
    await feedReads.once(null, { text: 'delete from gateways', values: [] })
    const { limits } = await startGateway()
    await expect.poll(() => noteGateway(feedReads, me)).toBe(2)
    await limits.close()
    expect(await noteGateway(feedReads, me)).toBe(1)
    await noteGateway(feedReads, '01900000-0000-7000-8000-000000000008')
    expect(await noteGateway(feedReads, me)).toBe(2)
    await moveDatabaseClock(database.ownerUrl, 16_000)
    expect(await noteGateway(feedReads, me)).toBe(1)
    await moveDatabaseClock(database.ownerUrl, -16_000)
  })
})

describe('a Redis to which others write', () => {
  const openAttacker = async () => {
    const client = connectRedis({ url: testRedisUrl(), name: 'attacker', log })
    await whenConnected([client])
    closers.push(() => client.destroy())
    return client
  }

  test('refuses no request for longer than an honest full bucket would', { timeout: 30_000 }, async () => {
    const { limits } = await startGateway()
    const attacker = await openAttacker()
    const bucket = newBucket(2, 60)
    const full = '9999999999999999 99999999999999'
    await attacker.set(`ars:bucket:${bucket.id}`, full)
    const refused = await limits.take(bucket)
    expect(refused.allowed).toBe(false)
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(1)
    expect(refused.resetSeconds).toBeLessThanOrEqual(2)
    await expect.poll(async () => (await limits.take(bucket)).allowed, { timeout: 15_000 }).toBe(true)
  })

  test.for(['', 'nonsense', '-5 -5', '5', '1e999 nan', '99999999999999999999999999 1'])(
    'that holds %s instead of a bucket lets requests pass and answers the others',
    async (nonsense) => {
      const { limits } = await startGateway()
      const attacker = await openAttacker()
      const [bucket, other] = [newBucket(50), newBucket(50)]
      await attacker.set(`ars:bucket:${bucket.id}`, nonsense)
      const [one, second] = await Promise.all([limits.take(bucket), limits.take(other)])
      expect([one.allowed, second.allowed]).toEqual([true, true])
      await attacker.del(`ars:bucket:${bucket.id}`)
      await attacker.lPush(`ars:bucket:${bucket.id}`, 'a list')
      expect((await limits.take(bucket)).allowed).toBe(true)
    },
  )

  test('cannot lift the limit of the plan in a gateway by deleting buckets', { timeout: 30_000 }, async () => {
    const { limits } = await startGateway()
    const attacker = await openAttacker()
    const bucket = newBucket(10)
    let passed = 0
    let last = await limits.take(bucket)
    for (let n = 0; n < 60; n++) {
      if (last.allowed) passed++
      await attacker.del(`ars:bucket:${bucket.id}`)
      last = await limits.take(bucket)
    }
    expect(passed).toBeGreaterThanOrEqual(10)
    // One more than the burst, for the time that a question to Redis takes, and what is refilled meanwhile.
    expect(passed).toBeLessThanOrEqual(13)
    expect(last).toMatchObject({ allowed: false, remaining: 0 })
  })

  test('is not needed to be honest for an honest limit: a steady rate at the limit is never refused', {
    timeout: 30_000,
  }, async () => {
    const { limits } = await startGateway()
    const bucket = newBucket(3, 600)
    const shared = await startGateway()
    let refusedByShared = 0
    for (let n = 0; n < 60; n++) {
      const { allowed } = await (n % 2 === 0 ? limits : shared.limits).take(bucket)
      if (!allowed) refusedByShared++
      await new Promise((resolve) => setTimeout(resolve, 110))
    }
    expect(refusedByShared).toBe(0)
  })
})

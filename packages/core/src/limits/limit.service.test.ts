import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LimitsWorld, newBucket, openLimitsWorld, passesOf } from '../../test/limits-world.ts'
import { noteGateway } from './gateway.store.ts'

let world: LimitsWorld
beforeAll(async () => {
  world = await openLimitsWorld()
})
afterEach(() => world.endTest())
afterAll(() => world.close())

describe('a rate limit', () => {
  test('is read in one Redis call for all concurrent requests', async () => {
    const { limits, asked } = await world.startGateway()
    await Promise.all(Array.from({ length: 50 }, () => limits.take(newBucket(1))))
    expect(asked).toEqual([50])
  })

  test('that Redis has refused is refused locally until the next request is due', async () => {
    const { limits, asked } = await world.startGateway()
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
    const { limits } = await world.startGateway()
    const bucket = newBucket(2)
    expect(await passesOf(limits, bucket, 3)).toBe(2)
    const lookups = await Promise.all([1, 2, 3].map(() => limits.takeLookup(bucket)))
    expect(lookups.map(({ allowed }) => allowed)).toEqual([true, true, false])
  })
})

describe('while Redis is unavailable', () => {
  test('a charge that Redis counted but answered too late is not charged twice', async () => {
    const [late, whole] = [await world.startGateway({ isLate: true }), await world.startGateway()]
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
})

describe('the set of live gateways', () => {
  test('contains recently seen gateways; a closed gateway is removed at once', async () => {
    const me = '01900000-0000-7000-8000-000000000009'
    await world.feedReads.once(null, { text: 'delete from gateways', values: [] })
    const { limits } = await world.startGateway()
    await expect.poll(() => noteGateway(world.feedReads, me)).toBe(2)
    await limits.close()
    expect(await noteGateway(world.feedReads, me)).toBe(1)
    await noteGateway(world.feedReads, '01900000-0000-7000-8000-000000000008')
    expect(await noteGateway(world.feedReads, me)).toBe(2)
    await moveDatabaseClock(world.database.ownerUrl, 16_000)
    expect(await noteGateway(world.feedReads, me)).toBe(1)
    await moveDatabaseClock(world.database.ownerUrl, -16_000)
  })
})

describe('a Redis to which others write', () => {
  test.for(['', 'nonsense', '-5 -5', '5', '1e999 nan', '99999999999999999999999999 1'])(
    'that holds %s instead of a bucket lets requests pass and answers the others',
    async (nonsense) => {
      const { limits } = await world.startGateway()
      const attacker = await world.openAttacker()
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
    const { limits } = await world.startGateway()
    const attacker = await world.openAttacker()
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
})

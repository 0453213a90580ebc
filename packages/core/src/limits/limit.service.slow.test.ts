import { type Link, openLink } from '@ars/testkit/slow/link'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LimitsWorld, newBucket, openLimitsWorld, passesOf } from '../../test/limits-world.ts'
import { noteGateway } from './gateway.store.ts'

let world: LimitsWorld
let link: Link
beforeAll(async () => {
  link = await openLink(testRedisUrl())
  world = await openLimitsWorld(link.url)
})
afterEach(async () => {
  await world.endTest()
  link.set('up')
})
afterAll(async () => {
  link.close()
  await world.close()
})

describe('a rate limit', () => {
  test('[S75] is shared by all gateways: exactly the burst passes, and a refusal states when to retry', {
    timeout: 30_000,
  }, async () => {
    const [one, other] = [await world.startGateway(), await world.startGateway()]
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
})

describe('while Redis is unavailable', () => {
  test.for(['refused', 'hung'] as const)(
    '(%s) a single gateway admits the requests that Redis had left',
    async (state) => {
      const { limits } = await world.startGateway()
      const bucket = newBucket(10)
      expect(await passesOf(limits, bucket, 6)).toBe(6)
      link.set(state)
      expect(await passesOf(limits, bucket, 10)).toBe(4)
      expect(await limits.take(bucket)).toMatchObject({ allowed: false, remaining: 0 })
    },
  )

  test('each of several gateways admits its share', async () => {
    await noteGateway(world.feedReads, '01900000-0000-7000-8000-000000000001')
    const { limits } = await world.startGateway()
    const bucket = newBucket(10)
    expect(await passesOf(limits, bucket, 2)).toBe(2)
    // Its heartbeat has found the other gateway by now, or soon will.
    link.set('refused')
    await expect.poll(async () => passesOf(limits, newBucket(10), 10)).toBe(5)
    expect(await passesOf(limits, bucket, 10)).toBe(4)
    await world.feedReads.once(null, { text: 'delete from gateways', values: [] })
  })

  test('a gateway that starts then neither delays nor refuses requests because of it', async () => {
    link.set('refused')
    const { limits } = await world.startGateway()
    expect(await limits.take(newBucket(3))).toMatchObject({ allowed: true, remaining: 2 })
  })

  test('admitted requests are charged to Redis after it recovers', async () => {
    const [cut, whole] = [await world.startGateway(), await world.startGateway({ through: testRedisUrl() })]
    await world.feedReads.once(null, { text: 'delete from gateways', values: [] })
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

describe('a Redis to which others write', () => {
  test('refuses no request for longer than an honest full bucket would', { timeout: 30_000 }, async () => {
    const { limits } = await world.startGateway()
    const attacker = await world.openAttacker()
    const bucket = newBucket(2, 60)
    const full = '9999999999999999 99999999999999'
    await attacker.set(`ars:bucket:${bucket.id}`, full)
    const refused = await limits.take(bucket)
    expect(refused.allowed).toBe(false)
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(1)
    expect(refused.resetSeconds).toBeLessThanOrEqual(2)
    await expect.poll(async () => (await limits.take(bucket)).allowed, { timeout: 15_000 }).toBe(true)
  })

  test('is not needed to be honest for an honest limit: a steady rate at the limit is never refused', {
    timeout: 30_000,
  }, async () => {
    const { limits } = await world.startGateway()
    const bucket = newBucket(3, 600)
    const shared = await world.startGateway()
    let refusedByShared = 0
    for (let n = 0; n < 60; n++) {
      const { allowed } = await (n % 2 === 0 ? limits : shared.limits).take(bucket)
      if (!allowed) refusedByShared++
      await new Promise((resolve) => setTimeout(resolve, 110))
    }
    expect(refusedByShared).toBe(0)
  })
})

import { plans } from '@ars/contract'
import { createLimits } from '@ars/core/limits'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openScripts } from '@ars/platform/redis/scripts'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

/** Empties a key's bucket but for a few, as another gateway of the cell would: through the same Redis. */
const spend = async (tenant: Tenant, bucket: { requestsPerMinute: number; burst: number }, left: number) => {
  const log = createLog({ level: 'silent' })
  const scripts = await openScripts({ url: testRedisUrl(), log, answerTimeoutMs: 60_000 })
  const system = openDatabase({ url: app.database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  const limits = createLimits({ scripts, system, clock: systemClock, newId: createIdMaker(systemClock), log })
  try {
    const keys = await app.call('GET', '/v2/api-keys', { key: tenant.key })
    const id = toUuid(keys.body.data[0].id)
    // One was taken by the call before.
    let spent = 1
    while (spent < bucket.burst - left) {
      const crowd = Math.min(500, bucket.burst - left - spent)
      await Promise.all(Array.from({ length: crowd }, () => limits.take({ id, ...bucket })))
      spent += crowd
    }
  } finally {
    await limits.close()
    scripts.close()
    await system.close()
  }
}

describe.each([
  ['[S77] Free: 100 a minute, burst 150', 'free', plans.free],
  ['[S78] Developer: 1,000 a minute, burst 1,500', 'developer', plans.developer],
  ['[S79] Business: 10,000 a minute, burst 15,000', 'business', plans.business],
  ['[S80] Enterprise: what its operator has set', 'enterprise', { requestsPerMinute: 777, burst: 40 }],
] as const)('%s', (_name, plan, { requestsPerMinute, burst }) => {
  test('a key may ask so often and no more, and is told when it may ask again', async () => {
    const tenant = await app.addTenant({ plan, ...(plan === 'enterprise' && { limits: { requestsPerMinute, burst } }) })
    const ask = () => app.call('GET', '/v2/api/auth/me', { key: tenant.key })
    const startedAtMs = systemClock.monotonicMs()
    const first = await ask()
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': String(requestsPerMinute),
      'x-ratelimit-remaining': String(burst - 1),
      'ratelimit-policy': `"key";q=${burst};w=${Math.ceil((burst * 60) / requestsPerMinute)}`,
    })
    const left = 20
    await spend(tenant, { requestsPerMinute, burst }, left + 1)
    let passed = 0
    let refused = await ask()
    while (refused.status === 200) {
      passed++
      refused = await ask()
    }
    const refilled = Math.ceil(((systemClock.monotonicMs() - startedAtMs) * requestsPerMinute) / 60_000)
    expect(passed).toBeGreaterThanOrEqual(left)
    expect(passed).toBeLessThanOrEqual(left + refilled)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThanOrEqual(1)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
    expect((await ask()).status).toBe(200)
  })
})

test('the numbers of the plans are those of the contract', () => {
  expect([plans.free, plans.developer, plans.business]).toMatchObject([
    { requestsPerMinute: 100, burst: 150 },
    { requestsPerMinute: 1_000, burst: 1_500 },
    { requestsPerMinute: 10_000, burst: 15_000 },
  ])
})

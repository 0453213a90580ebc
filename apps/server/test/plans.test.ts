import { plans } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'

/* The limits of the plans, as responses state them. That a key has exactly this rate is measured in plans.slow.test.ts. */

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

describe.each([
  ['[S77] Free: 100 a minute, burst 150, per key', 'free', { requestsPerMinute: 100, burst: 150 }],
  ['[S78] Developer: 1,000 a minute, burst 1,500', 'developer', { requestsPerMinute: 1_000, burst: 1_500 }],
  ['[S79] Business: 10,000 a minute, burst 15,000', 'business', { requestsPerMinute: 10_000, burst: 15_000 }],
  ['[S80] Enterprise: what its operator has set', 'enterprise', { requestsPerMinute: 1, burst: 40 }],
] as const)('%s', (_name, plan, limits) => {
  test('a key has this burst and this rate, and another key of the organisation has its own', async () => {
    const { key } = await app.addTenant({ plan, ...(plan === 'enterprise' && { limits }) })
    const made = await app.call('POST', '/v2/api-keys', { key, body: { name: 'second', scopes: ['agents:read'] } })
    for (const each of [key, made.body.key]) {
      // A Redis that does not answer in time leaves the gateway its share of the limit, until it answers again.
      const headers = await until('an answer that Redis has counted', async () => {
        const answer = await app.call('GET', '/v2/agents', { key: each })
        return Number(answer.headers['x-ratelimit-remaining']) > limits.burst / 2 && answer.headers
      })
      expect(headers).toMatchObject({
        'x-ratelimit-limit': String(limits.burst),
        'ratelimit-policy': `"requests";q=${limits.burst};w=${Math.ceil((limits.burst * 60) / limits.requestsPerMinute)}`,
      })
      expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(limits.burst - 2)
      expect(Number(headers['x-ratelimit-remaining'])).toBeLessThan(limits.burst)
    }
  })
})

test('a key can use its burst, and no more', async () => {
  const { key } = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 40 } })
  // In less than the minute in which one more would pass.
  const answers = await Promise.all(Array.from({ length: 45 }, () => app.call('GET', '/v2/agents', { key })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(5)
  for (const { headers } of refused) {
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '0', 'retry-after': '60' })
  }
})

test('the limits of the plans are those of the contract', () => {
  expect([plans.free, plans.developer, plans.business]).toMatchObject([
    { requestsPerMinute: 100, burst: 150 },
    { requestsPerMinute: 1_000, burst: 1_500 },
    { requestsPerMinute: 10_000, burst: 15_000 },
  ])
})

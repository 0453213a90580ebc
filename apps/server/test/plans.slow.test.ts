import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

type Answer = { status: number; headers: http2.IncomingHttpHeaders; sentMs: number; answeredMs: number }

/** A client of one gateway that sends requests as fast as it can, on one connection. The gateway closes an idle one. */
const connect = (url: string) => {
  const session = http2.connect(url, { ca: readFileSync(stackFacts().tls.certFile) })
  onTestFinished(() => session.close())
  // Refused for its query, after its key was counted: the cheapest call.
  return (key: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sentMs = performance.now()
      const stream = session.request({ ':path': '/v2/agents?limit=x', authorization: `Bearer ${key}` })
      stream.on('error', reject)
      stream.on('response', (headers) => {
        resolve({ status: Number(headers[':status']), headers, sentMs, answeredMs: performance.now() })
      })
      stream.resume()
    })
}

/** Sends calls until one is refused, a few at a time. Returns all responses. */
const askUntilRefused = async (ask: () => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = []
  while (!answers.some(isRefused)) answers.push(...(await Promise.all(Array.from({ length: 20 }, ask))))
  return answers
}

const isPassed = ({ status }: Answer): boolean => status === 400
const isRefused = ({ status }: Answer): boolean => status === 429

/** Buckets in Redis and in the process fill with real time. The assertions use the measured times. */
const letTimePass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * On a busy machine Redis may answer late, and the gateway then counts in process until Redis is back. It is the only
 * gateway, so it counts the whole of each bucket, but calls in flight may be counted twice or not at all.
 */
const fallBacks = (): number =>
  app.logLines.filter((line) => line.includes('rate limits are counted in process')).length
const returns = (): number => app.logLines.filter((line) => line.includes('rate limits are shared again')).length

/** Uses a bucket up, and again `passMs` later, all counted by Redis. Returns the responses of the second time. */
const refill = async (ask: () => Promise<Answer>, passMs: number) => {
  for (;;) {
    await until('Redis to count', async () => fallBacks() === returns())
    const before = fallBacks()
    const refused = (await askUntilRefused(ask)).find(isRefused) as Answer
    // The gateway does not ask Redis again before the time that it announced.
    await letTimePass(Math.max(passMs, Number(refused.headers['retry-after']) * 1_000))
    const answers = await askUntilRefused(ask)
    if (fallBacks() === before) return { refused, answers }
  }
}

describe.each([
  ['[S77] Free: 100 a minute, burst 150, per key', 'free', { requestsPerMinute: 100, burst: 150 }, 3_000],
  ['[S78] Developer: 1,000 a minute, burst 1,500', 'developer', { requestsPerMinute: 1_000, burst: 1_500 }, 3_000],
  ['[S79] Business: 10,000 a minute, burst 15,000', 'business', { requestsPerMinute: 10_000, burst: 15_000 }, 2_000],
  ['[S80] Enterprise: what its operator has set', 'enterprise', { requestsPerMinute: 777, burst: 40 }, 2_000],
] as const)('%s', (_name, plan, limits, passMs) => {
  test('a key has exactly this rate, and a refusal states when to retry', async () => {
    const perMs = limits.requestsPerMinute / 60_000
    const { key } = await app.addTenant({ plan, ...(plan === 'enterprise' && { limits }) })
    const newKey = { name: 'second', scopes: ['agents:read'] }
    const { body: second } = await app.call('POST', '/v2/api-keys', { key, body: newKey })
    // The tokens of these calls are returned.
    await until('Redis to count', async () => fallBacks() === returns())
    await letTimePass(2_000)

    const fallBacksBefore = fallBacks()
    const ask = connect(app.url)
    const first = await ask(key)
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': String(limits.burst),
      'x-ratelimit-remaining': String(limits.burst - 1),
      'ratelimit-policy': `"requests";q=${limits.burst};w=${Math.ceil((limits.burst * 60) / limits.requestsPerMinute)}`,
    })
    const answers = [first, ...(await askUntilRefused(() => ask(key)))]
    const refused = answers.find(isRefused) as Answer
    const passed = answers.filter(isPassed)
    expect(passed.length + answers.filter(isRefused).length).toBe(answers.length)
    // The burst and the refill meanwhile: exactly that many calls.
    const slack = fallBacks() === fallBacksBefore ? 0 : limits.burst / 20
    expect(fillOf(passed, refused, perMs)).toBeGreaterThan(limits.burst - 1 - slack)
    expect(passed.length).toBeLessThanOrEqual(limits.burst + (lastOf(passed) - first.sentMs) * perMs + slack)
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': String(limits.burst),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': refused.headers['retry-after'],
      'retry-after': String(Math.ceil(60 / limits.requestsPerMinute)),
    })

    // Another key of the organisation has a separate bucket.
    expect((await ask(second.key)).headers['x-ratelimit-remaining']).toBe(String(limits.burst - 1))

    const again = await refill(() => ask(key), passMs)
    const refilled = again.answers.filter(isPassed)
    const refusedAgain = again.answers.find(isRefused) as Answer
    const least = refusedAgain.sentMs - again.refused.answeredMs
    expect(refilled.length).toBeGreaterThan(Math.min(limits.burst, least * perMs) - 1)
    const most = lastOf(refilled) - again.refused.sentMs
    expect(refilled.length).toBeLessThanOrEqual(most * perMs + 1)
  }, 300_000)
})

const lastOf = (answers: readonly Answer[]): number => Math.max(...answers.map(({ answeredMs }) => answeredMs))

/**
 * The maximum fill of the bucket at the refusal. A bucket drains to zero and not below, so every call is tried as the
 * one since which it was never empty.
 */
const fillOf = (passed: readonly Answer[], refused: Answer, perMs: number): number =>
  Math.max(...passed.map(({ answeredMs }, at) => passed.length - at - (refused.sentMs - answeredMs) * perMs))

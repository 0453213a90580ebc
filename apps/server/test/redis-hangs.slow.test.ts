import { type Link, openLink } from '@ars/testkit/slow/link'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, framesOf, startApp } from './app.ts'

let app: App
let link: Link
beforeAll(async () => {
  link = await openLink(testRedisUrl())
  app = await startApp({ env: { ARS_REDIS_URL: link.url } })
  link.set('hung')
})
afterAll(async () => {
  await app.stop()
  link.close()
})

// Far above every bound of Redis, so that a busy machine passes, and far below that of TCP.
const soonMs = 10_000

/** The answer, and whether it came soon. */
const ask = async (...asked: Parameters<App['call']>) => {
  const begunMs = performance.now()
  const answer = await app.call(...asked)
  return { ...answer, isSoon: performance.now() - begunMs < soonMs }
}

const wait = { prefer: 'wait=30' }
const echo = (query: string) => ({ agent_id: app.tenant.agents['test-echo'], input: { query } })

test('a refusal of a waiting request does not wait for Redis', async () => {
  const agent = app.tenant.agents['test-echo']?.replace(/.$/, '0')
  const unknown = await ask('POST', '/v2/runs', { body: { agent_id: agent, input: {} }, headers: wait })
  expect(unknown).toMatchObject({ status: 404, isSoon: true })
  const invalid = await ask('POST', '/v2/runs', { body: { agent_id: agent, input: [] }, headers: wait })
  expect(invalid).toMatchObject({ status: 400, isSoon: true })
  const badKey = await ask('POST', '/v2/runs', { body: echo('x'), headers: wait, key: 'ars_live_unknown' })
  expect(badKey).toMatchObject({ status: 401, isSoon: true })
})

test('a waiting request gets its result, and so does its retry', async () => {
  const headers = { ...wait, 'idempotency-key': 'hung-1' }
  const first = await ask('POST', '/v2/runs', { body: echo('first'), headers })
  expect(first).toMatchObject({ status: 200, body: { status: 'completed' }, isSoon: true })
  const again = await ask('POST', '/v2/runs', { body: echo('first'), headers })
  expect(again).toMatchObject({ status: 200, body: { id: first.body.id, status: 'completed' }, isSoon: true })
})

test('a retry joins a run that is still in flight', async () => {
  const body = { agent_id: app.tenant.agents['test-slow'], input: { seconds: 2 } }
  const key = { 'idempotency-key': 'hung-2' }
  const begun = await ask('POST', '/v2/runs', { body, headers: { ...key, prefer: 'respond-async' } })
  expect(begun).toMatchObject({ status: 202, isSoon: true })
  const joined = await ask('POST', '/v2/runs', { body, headers: { ...key, ...wait } })
  expect(joined).toMatchObject({ status: 200, body: { id: begun.body.id, status: 'completed' } })
})

test('a wait that ends first is answered with the run as it is', async () => {
  const body = { agent_id: app.tenant.agents['test-slow'], input: { seconds: 60 } }
  const answer = await ask('POST', '/v2/runs', { body, headers: { prefer: 'wait=1' } })
  expect(answer).toMatchObject({ status: 202, isSoon: true })
  const cancelled = await ask('DELETE', `/v2/runs/${answer.body.id}`)
  expect(cancelled).toMatchObject({ isSoon: true })
  expect([200, 202]).toContain(cancelled.status)
})

test('streams open, deliver and resume', async () => {
  const headers = { accept: 'text/event-stream' }
  const body = { agent_id: app.tenant.agents['test-stream'], input: { chunks: 5, delay_ms: 20 } }
  const begun = await ask('POST', '/v2/runs/stream', { body, headers })
  expect(begun.status).toBe(200)
  const frames = framesOf(begun.text)
  expect(frames.at(-1)?.event).toBe('run.completed')
  const runId = begun.headers['x-run-id']
  const again = await ask('GET', `/v2/runs/${runId}/stream`, { headers })
  expect(again).toMatchObject({ status: 200, isSoon: true })
  const third = { ...headers, 'last-event-id': frames[2]?.id ?? '' }
  const resumed = await ask('GET', `/v2/runs/${runId}/stream`, { headers: third })
  expect(resumed.isSoon).toBe(true)
  expect(framesOf(resumed.text).map(({ id }) => id)).toEqual(frames.slice(3).map(({ id }) => id))
})

test('limits are counted in the process', async () => {
  const limited = await app.addTenant({ limits: { requestsPerMinute: 60, burst: 2 } })
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask('GET', '/v2/runs', { key: limited.key })))
  expect(answers.every(({ isSoon }) => isSoon)).toBe(true)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
})

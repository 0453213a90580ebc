import { openRedisLink, type RedisLink } from '@ars/platform/redis/redis-link.fixture'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
let link: RedisLink
beforeAll(async () => {
  link = await openRedisLink(testRedisUrl())
  app = await startApp({ env: { ARS_REDIS_URL: link.url } })
  link.set('silent')
})
afterAll(async () => {
  await app.stop()
  link.close()
})

// A test that hangs fails by its time limit, which is far above every bound here and far below that of TCP.
const patience = { timeout: 60_000 }

test('a Redis that hangs delays no refusal and no result', patience, async () => {
  const unknown = { agent_id: app.tenant.agents['test-echo']?.replace(/.$/, '0'), input: {} }
  const refused = await app.call('POST', '/v2/runs', { body: unknown, headers: { prefer: 'wait=30' } })
  expect(refused.status).toBe(404)
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'without Redis' } }
  const answer = await app.call('POST', '/v2/runs', { body, headers: { prefer: 'wait=30' } })
  expect([answer.status, answer.body.status]).toEqual([200, 'completed'])
  const stream = await app.call('GET', `/v2/runs/${answer.body.id}/stream`, {
    headers: { accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  expect(stream.text).toContain('event: run.completed')
})

import { apiBasePath, contract, type Operation } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

let app: App
let agent: string
beforeAll(async () => {
  app = await sharedApp()
  agent = app.tenant.agents['test-echo'] ?? ''
})
afterAll(() => app.stop())

const reads = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).flatMap(([name, operation]) =>
    operation.method === 'GET' && !operation.path.includes('{') && !operation.streams
      ? [{ name: `${resource}.${name}`, path: apiBasePath + operation.path }]
      : [],
  ),
)

test.each(reads)('HEAD answers as GET does for $name, without the body', async ({ path }) => {
  const get = await app.call('GET', path)
  const head = await app.call('HEAD', path)
  expect([head.status, head.text, head.headers['content-type']]).toEqual([get.status, '', get.headers['content-type']])
  expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
  expect(head.headers['x-ratelimit-limit']).toBe(get.headers['x-ratelimit-limit'])
})

test('HEAD of an unknown thing, without a credential and of a stream have the status of GET', async () => {
  expect((await app.call('HEAD', '/v2/agents/ag_x')).status).toBe(404)
  expect((await app.call('HEAD', '/v2/agents', { key: null })).status).toBe(401)
  const headers = { prefer: 'respond-async' }
  const run = await app.call('POST', '/v2/runs', { body: { agent_id: agent, input: {} }, headers })
  const stream = await app.call('HEAD', `/v2/runs/${run.body.id}/stream`)
  expect([stream.status, stream.text]).toEqual([200, ''])
  expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect((await app.call('HEAD', '/v2/runs/stream')).status).toBe(405)
})

test('PATCH accepts the media type of a merge patch, and POST does not', async () => {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const raw = JSON.stringify({ description: 'Merged' })
  const patched = await app.call('PATCH', `/v2/agents/${agent}`, { raw, headers })
  expect([patched.status, patched.body.description]).toEqual([200, 'Merged'])
  const posted = await app.call('POST', '/v2/runs', { raw: '{}', headers })
  expect([posted.status, posted.body.error.code]).toEqual([415, 'unsupported_media_type'])
})

test('a run that has not ended is answered with the seconds after which to poll', async () => {
  const headers = { prefer: 'respond-async' }
  const run = await app.call('POST', '/v2/runs', { body: { agent_id: agent, input: {} }, headers })
  expect([run.status, run.headers['retry-after']]).toEqual([202, '2'])
})

test('the operator can switch short-lived tokens off', async () => {
  const body = { scopes: ['runs:read'] }
  const made = await app.call('POST', '/v2/session-tokens', { body })
  const { url } = await app.join('gateway', { ARS_SESSION_TOKENS: 'off' })
  const refused = await app.call('POST', '/v2/session-tokens', { body, url })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
  const read = (at: string) => app.call('GET', '/v2/runs', { key: made.body.token, url: at })
  expect([(await read(app.url)).status, (await read(url)).status]).toEqual([200, 401])
})

test('an empty change and an unknown agent name the fault in the same way everywhere', async () => {
  const { body: key } = await app.call('POST', '/v2/api-keys', { body: { name: 'Mine', scopes: ['runs:read'] } })
  for (const path of [`/v2/api-keys/${key.id}`, `/v2/agents/${agent}`]) {
    const empty = await app.call('PATCH', path, { body: {} })
    expect([empty.status, empty.body.error.code]).toEqual([400, 'invalid_request'])
  }
  const unknown = { agent_id: `ag_${'0'.repeat(26)}`, input: {} }
  const run = await app.call('POST', '/v2/runs', { body: unknown })
  expect([run.status, run.body.error.param]).toEqual([404, 'agent_id'])
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedGateway({ ARS_UNAUTHORIZED_PER_MINUTE: '20' })
})
afterAll(() => app.stop())

const body = (tenant: { agents: Record<string, string> }) => ({
  agent_id: tenant.agents['test-echo'],
  input: { query: 'x' },
})

// First in this file: a later test blocks this address for keys that the gateway has not seen yet.
test('an operator can limit all keys of an organisation together; the headers stay those of the key', async () => {
  const { url } = await app.join('gateway', { ARS_ORGANISATION_REQUESTS_PER_MINUTE: '6' })
  const [tenant, other] = [await app.addTenant(), await app.addTenant()]
  const made = await app.call('POST', '/v2/api-keys', {
    key: tenant.key,
    body: { name: 'second', scopes: ['agents:read'] },
  })
  const ask = (key: string) => app.call('GET', '/v2/agents', { key, url })
  // Calls at the same time, so that a slow machine does not refill the bucket between them.
  const keys = Array.from({ length: 12 }, () => [tenant.key, made.body.key]).flat()
  const answers = await Promise.all(keys.map(ask))
  const allowed = answers.filter(({ status }) => status === 200)
  expect(allowed.length).toBeGreaterThanOrEqual(6)
  const [first] = allowed
  const last = answers.find(({ status }) => status === 429)
  expect(last).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', message: expect.stringContaining('of this organisation') } },
  })
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
  expect(last?.headers['x-ratelimit-limit']).toBe(first?.headers['x-ratelimit-limit'])
  expect(Number(last?.headers['x-ratelimit-remaining'])).toBeGreaterThan(1000)
  expect((await ask(other.key)).status).toBe(200)
  // A gateway without the setting has only the limits of the keys.
  expect((await app.call('GET', '/v2/agents', { key: tenant.key })).status).toBe(200)
})

describe('the rate of a key', () => {
  test('is in the headers of every authenticated response', async () => {
    const tenant = await app.addTenant({ scopes: ['runs:read', 'agents:read'] })
    const call = (method: string, path: string, options = {}) => app.call(method, path, { key: tenant.key, ...options })
    const answers = [
      await call('GET', '/v2/agents'),
      await call('GET', '/v2/agents?limit=x'),
      await call('POST', '/v2/runs', { body: {} }),
      await call('GET', '/v2/runs/run_x'),
      await call('GET', '/v2/agents', { headers: { accept: 'text/html' } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 403, 404, 406])
    for (const [at, { headers }] of answers.entries()) {
      expect(headers).toMatchObject({
        'ratelimit-policy': '"requests";q=15000;w=90',
        ratelimit: expect.stringMatching(/^"requests";r=149\d\d;t=0$/),
        'x-ratelimit-limit': '15000',
        'x-ratelimit-reset': '0',
      })
      expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(14_999 - at)
    }
    const stranger = await app.call('GET', '/v2/agents', { key: null })
    expect(stranger.headers['ratelimit-policy']).toBeUndefined()
  })

  test('[S75] is refused with the seconds to wait, before the body is read; a retry of an accepted request is answered', async () => {
    const tenant = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 3 } })
    const headers = { 'idempotency-key': 'first' }
    const call = (options: object) => app.call('POST', '/v2/runs', { key: tenant.key, ...options })
    const first = await call({ headers, body: body(tenant) })
    expect(first.status).toBe(200)
    for (let at = 0; at < 2; at++) await app.call('GET', '/v2/agents', { key: tenant.key })
    const refused = await call({ raw: '{ this is not even JSON' })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': refused.headers['retry-after'],
    })

    const again = await call({ headers, body: body(tenant) })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const fresh = await call({ headers: { 'idempotency-key': 'second' }, body: body(tenant) })
    expect([fresh.status, fresh.body.error.code]).toEqual([429, 'rate_limited'])
    const [{ n } = { n: '' }] = await app.query<{ n: string }>('select count(*) as n from runs where org_id = $1', [
      tenant.org,
    ])
    expect(n).toBe('1')
  })

  test('a stream of an accepted run can be resumed, regardless of the rate', async () => {
    const tenant = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 1 } })
    const headers = { 'idempotency-key': 'stream' }
    const call = () => app.call('POST', '/v2/runs/stream', { key: tenant.key, headers, body: body(tenant) })
    const first = await call()
    const again = await call()
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.headers['x-run-id']).toBe(first.headers['x-run-id'])
    expect(again.text).toContain('event: run.completed')
  })

  test('lookups for replays are rate limited too', async () => {
    const tenant = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 2 } })
    const headers = { 'idempotency-key': 'known' }
    const answers: number[] = []
    for (let at = 0; at < 6; at++) {
      answers.push((await app.call('POST', '/v2/runs', { key: tenant.key, headers, body: body(tenant) })).status)
    }
    expect(answers).toEqual([200, 200, 200, 200, 429, 429])
  })
})

describe('a rotated key', () => {
  test('shows its rotation and its end in every response', async () => {
    const { key } = await app.addTenant()
    const me = await app.call('GET', '/v2/api-keys', { key })
    const fresh = await app.call('POST', `/v2/api-keys/${me.body.data[0].id}/rotate`, { key, body: {} })
    expect(fresh.status).toBe(201)
    const old = await until('the old key to know', async () => {
      const answer = await app.call('GET', '/v2/runs/run_x', { key })
      return answer.headers.deprecation === undefined ? null : answer
    })
    const since = Number(/^@(\d+)$/.exec(String(old.headers.deprecation))?.[1])
    const until_ = Date.parse(String(old.headers.sunset)) / 1_000
    expect(until_ - since).toBeGreaterThanOrEqual(86_399)
    expect(until_ - since).toBeLessThanOrEqual(86_401)
    expect(String(old.headers.sunset)).toMatch(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
    const answer = await app.call('GET', '/v2/agents', { key: fresh.body.key })
    expect([answer.status, answer.headers.deprecation]).toEqual([200, undefined])
  })
})

// Last, because it uses up the failure limit of the address of all these tests.
describe('unauthenticated callers behind one address', () => {
  test('are throttled after a number of failures; valid keys behind the same address are not', async () => {
    const known = await app.addTenant()
    const unknown = await app.addTenant()
    expect((await app.call('GET', '/v2/agents', { key: known.key })).status).toBe(200)
    const guess = (at: number) => app.call('GET', '/v2/agents', { key: `ars_live_${String(at).padStart(38, '0')}` })
    const refused = await until('the address to be held up', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => guess(at)))
      return answers.find(({ status }) => status === 429)
    })
    expect([refused.body.error.code, refused.headers['retry-after']]).toEqual([
      'rate_limited',
      expect.stringMatching(/^[1-9]/),
    ])
    const lines = app.logLines.length
    const blocked = await Promise.all(Array.from({ length: 5 }, () => app.call('GET', '/v2/agents', { key: null })))
    expect(blocked.some(({ status }) => status === 429)).toBe(true)
    expect(app.logLines.length).toBeGreaterThan(lines)
    expect((await app.call('GET', '/v2/agents', { key: known.key })).status).toBe(200)
    // Not cached here yet: it waits for a lookup slot.
    const late = await until('room', async () => {
      const answer = await app.call('GET', '/v2/agents', { key: unknown.key })
      return answer.status === 200 ? answer : null
    })
    expect(late.status).toBe(200)
  })

  test('that try unknown links are throttled likewise', async () => {
    const refused = await until('the address to be held up', async () => {
      const body = { token: 'x'.repeat(43), password: 'a long enough Password, 1' }
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => app.call('POST', '/v2/api/auth/password-reset', { key: null, body })),
      )
      return answers.find(({ status }) => status === 429)
    })
    expect([refused.body.error.code, Number(refused.headers['retry-after'])]).toEqual([
      'rate_limited',
      expect.any(Number),
    ])
  })
})

import { apiBasePath, contract, type Operation } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'
import { inviteVisitor, ownPage } from './browser.ts'

let app: App
let run: string
let otherRun: string
let tokens: { any: string; run: string }
beforeAll(async () => {
  app = await sharedApp()
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'x' } }
  run = (await app.call('POST', '/v2/runs', { body })).body.id
  otherRun = (await app.call('POST', '/v2/runs', { body })).body.id
  const scopes = ['runs:read', 'runs:write', 'agents:read']
  const make = async (options: object) =>
    (await app.call('POST', '/v2/session-tokens', { body: { scopes, ...options } })).body.token as string
  tokens = { any: await make({}), run: await make({ run_id: run }) }
})
afterAll(() => app.stop())

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({ ...operation, name: `${resource}.${name}` })),
)
const pathOf = (path: string) => apiBasePath + path.replaceAll(/\{\w+\}/g, run)
const origins = ['https://shop.example', 'null', 'http://localhost', 'https://app.example.com.evil.com']

describe('a page of another origin', () => {
  const open = operations.filter(({ crossOrigin }) => crossOrigin)

  test('may call four operations', () => {
    expect(open.map(({ name }) => name).toSorted()).toEqual(['runs.act', 'runs.cancel', 'runs.get', 'runs.watch'])
  })

  test.each(open)(
    '$name: with a short-lived token, and without the browser’s credentials',
    async ({ method, path }) => {
      for (const origin of origins) {
        const answer = await app.call(method, pathOf(path), {
          key: tokens.run,
          headers: { origin },
          ...(method === 'POST' ? { body: { type: 'message', payload: { message: 'x' } } } : {}),
        })
        expect(answer.headers['access-control-allow-origin']).toBe('*')
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
        expect(String(answer.headers['access-control-expose-headers'])).toContain('retry-after')
        expect([200, 422]).toContain(answer.status)
      }
    },
  )

  test.each(open)('$name: not with a key', async ({ method, path }) => {
    for (const origin of origins) {
      const answer = await app.call(method, pathOf(path), {
        headers: { origin },
        ...(method === 'POST' ? { body: {} } : {}),
      })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('can read the refusal of an expired token', async () => {
    const answer = await app.call('GET', `/v2/runs/${run}`, { key: `${tokens.run.slice(0, -1)}!` })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, '*'])
  })

  test('gets nothing with a cookie', async () => {
    const { cookie } = await inviteVisitor(app, app.tenant)
    const answer = await app.call('GET', `/v2/runs/${run}`, {
      key: null,
      headers: { cookie, origin: origins[0] ?? '' },
    })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    const own = await app.call('GET', `/v2/runs/${run}`, { key: null, headers: { cookie, ...ownPage } })
    expect(own.headers['access-control-allow-origin']).toBeUndefined()
  })

  const closed = operations.filter(({ crossOrigin, streams }) => !crossOrigin && !streams)
  test.each(closed)('cannot read $name, not even with a token', async ({ method, path }) => {
    const answer = await app.call(method, pathOf(path), {
      key: tokens.any,
      headers: { origin: origins[0] ?? '' },
      ...(method === 'POST' || method === 'PATCH' ? { body: {} } : {}),
    })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('a preflight request', () => {
  const ask = (path: string, method: string) =>
    app.call('OPTIONS', path, {
      key: null,
      headers: { origin: origins[0] ?? '', 'access-control-request-method': method },
    })
  const allowedAt: Readonly<Record<string, string>> = {
    '/runs/{id}': 'GET, DELETE',
    '/runs/{id}/stream': 'GET',
    '/runs/{id}/action': 'POST',
  }
  const crossOriginPaths = new Set(operations.filter(({ crossOrigin }) => crossOrigin).map(({ path }) => path))

  test.each(operations.map(({ name, path, method }) => ({ name, path, method })))(
    'about $name is answered as the contract states',
    async ({ path, method }) => {
      const answer = await ask(pathOf(path), method)
      if (crossOriginPaths.has(path)) {
        expect([answer.status, answer.text]).toEqual([204, ''])
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-allow-headers':
            'authorization, content-type, last-event-id, idempotency-key, accept, prefer, ars-organisation, traceparent, tracestate',
          'access-control-max-age': '7200',
        })
        expect(answer.headers['access-control-allow-methods']).toBe(allowedAt[path])
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      } else {
        expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed'])
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    },
  )

  test('about an unknown route is 404', async () => {
    const answer = await ask('/v2/nothing', 'GET')
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, undefined])
  })
})

describe('a token that is bound to one run', () => {
  test('[S47] has access to that run', async () => {
    expect((await app.call('GET', `/v2/runs/${run}`, { key: tokens.run })).status).toBe(200)
    expect((await app.call('GET', `/v2/runs/${run}/steps`, { key: tokens.run })).status).toBe(200)
  })

  test.each(
    operations.filter(({ scope }) => scope !== 'anyone').map(({ name, path, method }) => ({ name, path, method })),
  )('$name of any other object is 403', async ({ path, method }) => {
    const answer = await app.call(method, apiBasePath + path.replaceAll(/\{\w+\}/g, otherRun), {
      key: tokens.run,
      ...(method === 'POST' || method === 'PATCH' ? { body: {} } : {}),
    })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    expect(answer.headers['ratelimit-policy']).toBeDefined()
  })
})

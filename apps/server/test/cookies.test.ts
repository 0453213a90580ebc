import { apiBasePath, contract, type Operation } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'
import { cookieOf, inviteVisitor, ownPage, type Visitor } from './browser.ts'

let app: App
let other: Tenant
let visitor: Visitor
beforeAll(async () => {
  app = await sharedApp()
  other = await app.addTenant()
  visitor = await inviteVisitor(app, app.tenant)
})
afterAll(() => app.stop())

const asVisitor = (headers: Record<string, string> = {}) => ({
  key: null,
  headers: { cookie: visitor.cookie, ...headers },
})
const evil = 'https://evil.example'

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({
    ...operation,
    name: `${resource}.${name}`,
    path: apiBasePath + operation.path.replaceAll(/\{\w+\}/g, 'x'),
  })),
)

describe('a browser session', () => {
  test('[S46][S51] authenticates every kind of call, as a key does', async () => {
    const read = await app.call('GET', '/v2/agents', asVisitor())
    const byKey = await app.call('GET', '/v2/agents')
    expect([read.status, read.body]).toEqual([200, byKey.body])
    const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'from a page' } }
    const created = await app.call('POST', '/v2/runs', { ...asVisitor(ownPage), body })
    expect([created.status, created.body.output?.result]).toEqual([200, 'from a page'])
    const cancelled = await app.call('DELETE', `/v2/runs/${created.body.id}`, asVisitor(ownPage))
    expect(cancelled.status).toBe(200)
  })

  test('has a separate rate bucket and gets its rate limit headers', async () => {
    const first = await app.call('GET', '/v2/agents', asVisitor())
    await app.call('GET', '/v2/agents')
    const second = await app.call('GET', '/v2/agents', asVisitor())
    const left = [first, second].map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect((left[0] ?? 0) - (left[1] ?? 0)).toBeLessThanOrEqual(1)
  })

  test('can start at the root and below the base address', async () => {
    const { email, password } = visitor
    for (const path of ['/api/auth/login', '/v2/api/auth/login']) {
      const answer = await app.call('POST', path, { key: null, body: { email, password } })
      expect(answer.status).toBe(200)
      expect(String([answer.headers['set-cookie']].flat()[0])).toMatch(
        /^__Host-ars_session=[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/,
      )
      const me = await app.call('GET', path.replace('login', 'me'), {
        key: null,
        headers: { cookie: cookieOf(answer) },
      })
      expect([me.status, me.body.user.email]).toEqual([200, email])
    }
  })

  test('is ended by a POST without a body, and is invalid afterwards', async () => {
    const { email, password } = visitor
    const started = await app.call('POST', '/api/auth/login', { key: null, body: { email, password } })
    const headers = { cookie: cookieOf(started), 'content-type': 'application/json', ...ownPage }
    expect((await app.call('POST', '/api/auth/logout', { key: null, headers })).status).toBe(200)
    expect((await app.call('GET', '/v2/agents', { key: null, headers })).status).toBe(401)
  })

  test('is never combined with a key: the key alone decides, even an invalid one', async () => {
    const theirs = await app.call('GET', '/v2/agents', { ...asVisitor(), key: other.key })
    expect(theirs.body.data[0].id).toBe((await app.call('GET', '/v2/agents', { key: other.key })).body.data[0].id)
    for (const authorization of ['Bearer x', 'Basic x', '']) {
      const refused = await app.call('GET', '/v2/agents', asVisitor({ authorization }))
      expect([authorization, refused.status]).toEqual([authorization, 401])
    }
  })

  test.each([
    ['twice', () => `${visitor.cookie}; ${visitor.cookie}`],
    ['twice, once as another', () => `__Host-ars_session=x; ${visitor.cookie}`],
    ['under another name', () => visitor.cookie.replace('__Host-', '')],
    ['in quotes', () => visitor.cookie.replace('=', '="').concat('"')],
    ['with a letter changed', () => visitor.cookie.slice(0, -1) + (visitor.cookie.endsWith('A') ? 'B' : 'A')],
  ])('sent %s is 401', async (_how, cookie) => {
    const answer = await app.call('GET', '/v2/agents', { key: null, headers: { cookie: cookie() } })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
  })

  test('is found among other cookies', async () => {
    const headers = { cookie: `theme=dark; ${visitor.cookie} ; __Host-ars_sessions=x` }
    expect((await app.call('GET', '/v2/agents', { key: null, headers })).status).toBe(200)
  })
})

describe('a write with a cookie', () => {
  const body = () => ({ agent_id: app.tenant.agents['test-echo'], input: {} })
  const countRuns = async (): Promise<number | undefined> => {
    const [row] = await app.query<{ n: number }>('select count(*)::int as n from runs where org_id = $1', [
      app.tenant.org,
    ])
    return row?.n
  }

  test.each<[string, Record<string, string>]>([
    ['neither header', {}],
    ['a foreign origin', { origin: evil }],
    ['the origin null', { origin: 'null' }],
    ['our name in front of another', { origin: 'OWN.evil.example' }],
    ['our origin without TLS', { origin: 'PLAIN' }],
    ['our host on another port', { origin: 'https://localhost:1' }],
    ['an empty origin', { origin: '' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['no site at all', { 'sec-fetch-site': 'none' }],
    ['another site and our origin', { 'sec-fetch-site': 'cross-site', origin: 'OWN' }],
    ['a referrer of ours alone', { referer: 'OWN/' }],
  ])('and %s is 403, and creates nothing', async (_what, headers) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('OWN', app.url).replace('PLAIN', app.url.replace('https', 'http')),
      ]),
    )
    const runsBefore = await countRuns()
    const answer = await app.call('POST', '/v2/runs', { ...asVisitor(own), body: body() })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'cross_site_forbidden'])
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(await countRuns()).toBe(runsBefore)
  })

  test.each<[string, string | undefined]>([
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['parts', 'multipart/form-data; boundary=x'],
    ['JSON by another name', 'application/jsonp'],
    ['no type', undefined],
  ])('and %s as content type is 403', async (_what, type) => {
    const headers = asVisitor({ ...ownPage, ...(type === undefined ? {} : { 'content-type': type }) })
    const answer = await app.call('POST', '/v2/runs', { ...headers, ...(type ? { raw: JSON.stringify(body()) } : {}) })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'cross_site_forbidden'])
  })

  test('from the service’s own origin passes, whichever header states it', async () => {
    for (const page of [ownPage, { origin: app.url }, { ...ownPage, origin: app.url }]) {
      expect((await app.call('POST', '/v2/runs', { ...asVisitor(page), body: body() })).status).toBe(200)
    }
  })

  const writes = operations.filter(({ method, scope }) => method !== 'GET' && scope !== 'anyone')
  test.each(writes)('$name is refused from a foreign page', async ({ method, path }) => {
    const answer = await app.call(method, path, {
      ...asVisitor({ origin: evil }),
      ...(method === 'DELETE' ? {} : { body: {} }),
    })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'cross_site_forbidden'])
    expect(answer.headers['ratelimit-policy']).toBeDefined()
  })

  test('needs none of these checks with a key', async () => {
    const answer = await app.call('POST', '/v2/runs', { headers: { origin: evil }, body: body() })
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('public operations', () => {
  const open = operations.filter(({ method, scope }) => method !== 'GET' && scope === 'anyone')
  test.each(open)(
    '$name is refused from a foreign page, and needs no header from a program',
    async ({ method, path }) => {
      for (const headers of [{ origin: evil }, { 'sec-fetch-site': 'cross-site' }]) {
        const refused = await app.call(method, path, { key: null, headers, body: {} })
        expect([refused.status, refused.body.error.code]).toEqual([403, 'cross_site_forbidden'])
      }
      for (const headers of [{}, ownPage, { origin: app.url }]) {
        const answer = await app.call(method, path, { key: null, headers, body: {} })
        expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
      }
    },
  )

  test('a foreign page cannot log a visitor in as another person', async () => {
    const { email, password } = visitor
    const answer = await app.call('POST', '/api/auth/login', {
      key: null,
      headers: { origin: evil },
      body: { email, password },
    })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })
})

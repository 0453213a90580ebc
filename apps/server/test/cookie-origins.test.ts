import { apiBasePath, contract, type Operation } from '@ars/contract'
import { Config } from '@ars/core/config'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway } from './app.ts'
import { inviteVisitor, type Visitor } from './browser.ts'

// Pages of the listed origins use sessions as the pages of the service do. All other origins are treated as without a list.

const listed = 'https://app.example.com'
const second = 'https://admin.example.com:8443'

let app: App
let visitor: Visitor
beforeAll(async () => {
  app = await sharedGateway({ ARS_COOKIE_ORIGINS: `${listed}, ${second}` })
  visitor = await inviteVisitor(app, app.tenant)
})
afterAll(() => app.stop())

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({ ...operation, name: `${resource}.${name}` })),
)
const withCookie = (headers: Record<string, string>) => ({ key: null, headers: { cookie: visitor.cookie, ...headers } })
const body = () => ({ agent_id: app.tenant.agents['test-echo'], input: {} })
const countRuns = async (): Promise<number | undefined> => {
  const [row] = await app.query<{ n: number }>('select count(*)::int as n from runs where org_id = $1', [
    app.tenant.org,
  ])
  return row?.n
}

// Browsers would send some of these for a page of an attacker, and none for a page of the list.
const strangers: readonly [what: string, headers: Record<string, string>][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['a sibling that is not listed', { origin: 'https://other.example.com', 'sec-fetch-site': 'same-site' }],
  ['the origin null', { origin: 'null' }],
  ['the origin null of a sandbox in a sibling', { origin: 'null', 'sec-fetch-site': 'same-site' }],
  ['a listed name in front of another', { origin: `${listed}.evil.example` }],
  ['a listed name behind another', { origin: 'https://evil-app.example.com' }],
  ['a listed name as a user', { origin: `${listed}@evil.example` }],
  ['a listed name as a suffix', { origin: 'https://evil.example/https://app.example.com' }],
  ['a listed origin without TLS', { origin: 'http://app.example.com' }],
  ['a listed origin on another port', { origin: `${listed}:8443` }],
  ['a listed origin with its default port', { origin: `${listed}:443` }],
  ['a listed origin with a slash', { origin: `${listed}/` }],
  ['a listed origin with a dot', { origin: 'https://app.example.com.' }],
  ['a listed origin in capitals', { origin: 'https://APP.example.com' }],
  ['a listed host on the port of another', { origin: 'https://admin.example.com' }],
  ['two origins', { origin: `https://evil.example, ${listed}` }],
  ['a part of the list', { origin: `${listed}, ${second}` }],
  ['a listed origin of another site', { origin: listed, 'sec-fetch-site': 'cross-site' }],
  ['a listed origin of no site', { origin: listed, 'sec-fetch-site': 'none' }],
  ['a sibling without an origin', { 'sec-fetch-site': 'same-site' }],
  ['a referrer of the list alone', { referer: `${listed}/` }],
  ['no header at all', {}],
]

describe('a page of a listed origin', () => {
  const pages = [
    { origin: listed },
    { origin: second },
    { origin: listed, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  ]

  test.each(pages)('%j reads and writes with the cookie, and reads the response', async (page) => {
    const answers = [
      await app.call('GET', '/v2/api/auth/me', withCookie(page)),
      await app.call('POST', '/v2/runs', { ...withCookie(page), body: body() }),
      await app.call('GET', '/v2/runs', withCookie(page)),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'access-control-allow-origin': page.origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': expect.stringContaining('x-run-id'),
        vary: 'Origin',
      })
    }
  })

  test('logs in, and reads its refusals', async () => {
    const page = { key: null, headers: { origin: listed, 'sec-fetch-site': 'same-site' } }
    const { email, password } = visitor
    const wrong = await app.call('POST', '/api/auth/login', { ...page, body: { email, password: 'wrong password' } })
    const right = await app.call('POST', '/api/auth/login', { ...page, body: { email, password } })
    const without = await app.call('GET', '/v2/runs', page)
    expect([wrong.status, right.status, without.status]).toEqual([401, 200, 401])
    expect(right.headers['set-cookie']).toBeDefined()
    for (const { headers } of [wrong, right, without]) expect(headers['access-control-allow-origin']).toBe(listed)
  })

  test('still needs a JSON content type for a write', async () => {
    const form = { origin: listed, 'content-type': 'text/plain' }
    const answer = await app.call('POST', '/v2/runs', { ...withCookie(form), raw: JSON.stringify(body()) })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'cross_site_forbidden'])
  })

  test('reads nothing with a key, as any other origin', async () => {
    const { status, headers } = await app.call('GET', '/v2/runs', { headers: { origin: listed } })
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('with a token gets what every origin gets, without credentials', async () => {
    const run = (await app.call('POST', '/v2/runs', { body: body() })).body.id
    const token = await app.call('POST', '/v2/session-tokens', { body: { scopes: ['runs:read'], run_id: run } })
    const { headers } = await app.call('GET', `/v2/runs/${run}`, {
      key: token.body.token,
      headers: { origin: listed, cookie: visitor.cookie },
    })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })
})

describe('any other page', () => {
  test.each(strangers)('%s cannot write with the cookie, and cannot read anything', async (_what, page) => {
    const before = await countRuns()
    const written = await app.call('POST', '/v2/runs', { ...withCookie(page), body: body() })
    expect([written.status, written.body.error.code]).toEqual([403, 'cross_site_forbidden'])
    expect(await countRuns()).toBe(before)
    const read = await app.call('GET', '/v2/runs', withCookie(page))
    const isListed = page.origin === listed
    for (const { headers } of [written, read]) {
      // A listed origin may read: no browser sends the session for it from another site.
      expect(headers['access-control-allow-origin']).toBe(isListed ? listed : undefined)
      expect(headers['access-control-allow-credentials']).toBe(isListed ? 'true' : undefined)
    }
  })

  test.each(strangers.filter(([, { origin }]) => origin !== undefined && origin !== listed))(
    '%s cannot log a visitor in as another person',
    async (_what, headers) => {
      const { email, password } = visitor
      const answer = await app.call('POST', '/api/auth/login', { key: null, headers, body: { email, password } })
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
    },
  )
})

describe('a preflight request', () => {
  const ask = (path: string, headers: Record<string, string>) =>
    app.call('OPTIONS', path, { key: null, headers: { 'access-control-request-method': 'POST', ...headers } })
  const pathOf = (path: string) => apiBasePath + path.replaceAll(/\{\w+\}/g, 'x')

  test.each(operations)('of a listed origin about $name allows it with credentials', async ({ path, method }) => {
    const { status, headers } = await ask(pathOf(path), { origin: listed })
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
    expect(String(headers['access-control-allow-methods']).split(', ')).toContain(method)
    const isOpen = operations.some((other) => other.path === path && other.crossOrigin)
    expect(String(headers['access-control-allow-headers']).includes('authorization')).toBe(isOpen)
  })

  test('of a listed origin is answered at the root too, and 404 for an unknown route', async () => {
    expect((await ask('/api/auth/login', { origin: listed })).headers['access-control-allow-origin']).toBe(listed)
    const unknown = await ask('/v2/nothing', { origin: listed })
    expect([unknown.status, unknown.headers['access-control-allow-origin']]).toEqual([404, undefined])
  })

  test.each(strangers.filter(([, { origin }]) => origin !== listed))(
    'of %s is answered as without a list',
    async (_what, headers) => {
      const closed = await ask('/v2/runs', headers)
      expect([closed.status, closed.body.error.code]).toEqual([405, 'method_not_allowed'])
      expect(closed.headers['access-control-allow-origin']).toBeUndefined()
      const open = await ask('/v2/runs/run_1', headers)
      expect([open.status, open.headers['access-control-allow-origin']]).toEqual([204, '*'])
      expect(open.headers['access-control-allow-credentials']).toBeUndefined()
      expect(open.headers['access-control-allow-methods']).toBe('GET, DELETE')
    },
  )
})

test.each([
  '*',
  'null',
  'app.example.com',
  'http://app.example.com',
  'https://app.example.com/',
  'https://app.example.com/path',
  'https://*.example.com',
  'https://APP.example.com',
  'https://app.example.com:443',
  'https://user@app.example.com',
  Array.from({ length: 21 }, (_, n) => `https://a${n}.example.com`).join(','),
])('the setting refuses %s', (text) => {
  expect(Config.shape.cookieOrigins.safeParse(text).success).toBe(false)
})

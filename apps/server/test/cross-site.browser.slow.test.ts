import { contract, type Operation } from '@ars/contract'
import type { Browser, BrowserContext, Cookie } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, freePort, startApp, type Tenant } from './app.ts'
import { type Cast, readsOf, type Target, writesOf } from './browser/attacks.ts'
import { readTables } from './browser/books.ts'
import { openChromium } from './browser/chromium.ts'
import { type ForeignPages, naiveCookie, serveForeignPages, sessionCookie } from './browser/foreign-pages.ts'
import { type HostilePage, openHostilePage } from './browser/hostile-page.ts'
import { type OwnPage, openOwnPage } from './browser/own-page.ts'
import { inviteVisitor, type Visitor } from './browser.ts'

let app: App
let tenant: Tenant
let url: string
let browser: Browser
let context: BrowserContext
let foreign: ForeignPages
let visitor: Visitor
let own: OwnPage
let cast: Cast

beforeAll(async () => {
  browser = await openChromium()
  app = await startApp()
  // The service has a name with a sibling, as in production: pages of the sibling are same-site.
  const port = await freePort()
  url = `https://app.example.com:${port}`
  await app.join('gateway', { ARS_HTTP_PORT: String(port), ARS_PUBLIC_URL: url })
  foreign = await serveForeignPages({ secure: await freePort(), plain: await freePort() })
  // A rate that refuses nothing, so that a refusal has no other reason.
  tenant = await app.addTenant({ plan: 'business' })
  visitor = await inviteVisitor(app, tenant)
  const attacker = await inviteVisitor(app, app.tenant)
  const call = async (path: string, body: unknown) => (await app.call('POST', path, { key: tenant.key, body })).body
  const runOf = async (agent: string) =>
    (await call('/v2/runs', { agent_id: tenant.agents[agent], input: { query: 'the secret of the visitor' } })).id
  cast = {
    echoAgent: tenant.agents['test-echo'] ?? '',
    key: (await call('/v2/api-keys', { name: 'of the visitor', scopes: ['runs:read'] })).id,
    waitingRun: await runOf('test-approval'),
    run: await runOf('test-echo'),
    visitor,
    attacker,
  }
  context = await browser.newContext({ ignoreHTTPSErrors: true })
  own = await openOwnPage(context, url)
  const { email, password } = visitor
  const answer = await own.ask('POST', '/api/auth/login', { email, password })
  if (answer.status !== 200) throw new Error(`the visitor cannot log in: ${JSON.stringify(answer)}`)
})
afterAll(async () => {
  await browser?.close()
  await foreign?.stop()
  await app?.stop()
})

const findSession = async (): Promise<Cookie | undefined> =>
  (await context.cookies(url)).find(({ name }) => name === sessionCookie)

const whoAmI = async () => (await own.ask('GET', '/v2/api/auth/me')).body.user?.email

/** The reasons of refused writes. A login is omitted: it needs no cookie, so it is the same from every origin. */
const statusesOfWrites = (lines: readonly string[]): number[] =>
  lines
    .map((line) => JSON.parse(line) as { msg: string; operation: string; status: number })
    .filter(({ msg, operation }) => msg === 'request' && writes.has(operation) && operation !== 'auth.login')
    .map(({ status }) => status)

const writes = new Set(
  Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries<Operation>(operations)
      .filter(([, { method }]) => method !== 'GET')
      .map(([name]) => `${resource}.${name}`),
  ),
)

describe('the session of a person in a browser', () => {
  test('[S46] is a cookie of this host only that no script can read', async () => {
    expect(await findSession()).toMatchObject({
      domain: 'app.example.com',
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    })
    expect(await own.page.evaluate('document.cookie')).toBe('')
    expect(await whoAmI()).toBe(visitor.email)
  })

  test('is replaced at each login, and the previous one is invalid', async () => {
    const before = await findSession()
    const { email, password } = visitor
    expect((await own.ask('POST', '/v2/api/auth/login', { email, password })).status).toBe(200)
    expect((await findSession())?.value).not.toBe(before?.value)
    const headers = { cookie: `${sessionCookie}=${before?.value}` }
    expect((await app.call('GET', '/v2/api/auth/me', { key: null, headers })).status).toBe(401)
    expect(await whoAmI()).toBe(visitor.email)
  })

  test('cannot be set by a sibling site', async () => {
    const before = await findSession()
    const page = await context.newPage()
    await page.goto(`https://blog.example.com:${foreign.port}/plant`)
    for (const attributes of ['', '; Secure', '; Secure; Path=/; Domain=example.com', '; Path=/; Domain=example.com']) {
      await page.evaluate(`document.cookie = '${sessionCookie}=planted${attributes}'`)
    }
    await page.close()
    const cookies = await context.cookies(url)
    expect(cookies.filter(({ value }) => value === 'planted')).toEqual([])
    expect(cookies.filter(({ name }) => name === 'planted')).toHaveLength(1)
    expect(await findSession()).toEqual(before)
    expect(await whoAmI()).toBe(visitor.email)
  })

  test('cannot be used by the service’s own responses: their policy permits no requests', async () => {
    const page = await context.newPage()
    await page.goto(`${url}/v2/nothing`)
    await expect(page.evaluate(`fetch('/v2/api/auth/me').then(({ status }) => status)`)).rejects.toThrow('fetch')
    await page.close()
  })
})

describe('a page of another origin in the same browser', () => {
  const secure = (host: string, path = '/') => `https://${host}:${foreign.port}${path}`
  const plain = (host: string) => `http://${host}:${foreign.plainPort}/`
  const everything = () => [...writesOf(cast), ...readsOf(cast)]
  const some = () => pick('create a key', 'answer a run', 'read /v2/api-keys')
  const pick = (...names: string[]) => everything().filter(({ name }) => names.includes(name))

  // Within one site the browser sends the cookie, and the service refuses; from another site the browser does not send
  // it.
  const origins: { who: string; address: () => string; refusal: 401 | 403; targetsOf: () => readonly Target[] }[] = [
    { who: 'of a sister site', address: () => secure('blog.example.com'), refusal: 403, targetsOf: everything },
    { who: 'of another site', address: () => secure('evil.test'), refusal: 401, targetsOf: everything },
    { who: 'in a sandbox', address: () => secure('evil.test', '/sandbox'), refusal: 401, targetsOf: some },
    { who: 'of our host on another port', address: () => secure('app.example.com'), refusal: 403, targetsOf: some },
    { who: 'of our host without TLS', address: () => plain('app.example.com'), refusal: 401, targetsOf: some },
    { who: 'of a longer name', address: () => secure('app.example.com.evil.test'), refusal: 401, targetsOf: some },
    { who: 'of a mere address', address: () => secure('127.0.0.1'), refusal: 401, targetsOf: some },
  ]

  test('can attack an unprotected service in every way and with the cookie', async () => {
    await context.addCookies([{ name: naiveCookie, value: 'x', url: foreign.naiveUrl, secure: true, sameSite: 'Lax' }])
    const targets = pick('create a key', 'rename a key', 'revoke a key')
    const hostile = await openHostilePage(context, secure('blog.example.com'))
    const { attacks, seen } = await hostile.attackInAllWays(foreign.naiveUrl, targets)
    await hostile.close()
    const arrived = foreign.arrivals.map(({ method, path }) => `${method} ${foreign.naiveUrl}${path}`)
    expect(arrived.toSorted()).toEqual(attacks.map(({ method, url: target }) => `${method} ${target}`).toSorted())
    expect(foreign.arrivals.filter(({ hasCookie }) => !hasCookie)).toEqual([])
    expect(seen.filter((text) => text === 'fetch of JSON: 200obeyed')).toHaveLength(targets.length)
    expect(hostile.letIn).toContain(`access-control-allow-origin: https://blog.example.com:${foreign.port}`)
  })

  test.each(origins)('$who changes nothing and reads nothing', async ({ address, refusal, targetsOf }) => {
    const session = await findSession()
    const before = await readTables(app)
    const linesBefore = app.logLines.length
    const hostile = await openHostilePage(context, address())
    const { attacks, seen } = await hostile.attackInAllWays(url, targetsOf())
    await hostile.close()
    expect(attacks.length).toBeGreaterThanOrEqual(targetsOf === everything ? 200 : 40)
    expect(seen).toEqual([])
    expect(await readTables(app)).toEqual(before)
    expect(await findSession()).toEqual(session)
    expect(await whoAmI()).toBe(visitor.email)
    // The preflight response for actions of a run allows every origin, for requests with a token.
    expect(hostile.letIn.filter((grant) => grant !== 'access-control-allow-origin: *')).toEqual([])
    const refusals = statusesOfWrites(app.logLines.slice(linesBefore))
    expect(refusals.length).toBeGreaterThan(20)
    expect(new Set(refusals)).toEqual(new Set([refusal]))
  })
})

describe('a page of another origin with its own credential', () => {
  type Told = { status: number; text: string } | 'unreadable'
  let hostile: HostilePage
  let token: string
  beforeAll(async () => {
    hostile = await openHostilePage(context, `https://shop.test:${foreign.port}/`)
    const body = { scopes: ['runs:read', 'runs:write', 'runs:approve'], run_id: cast.waitingRun }
    token = (await app.call('POST', '/v2/session-tokens', { key: tenant.key, body })).body.token
  })

  const ask = (credential: string, path: string, options: { body?: unknown; credentials?: 'include' } = {}) =>
    hostile.frame.evaluate(
      async ([bearer, address, credentials, text]): Promise<Told> => {
        const headers = { authorization: `Bearer ${bearer}`, ...(text ? { 'content-type': 'application/json' } : {}) }
        const post = text ? { method: 'POST', body: text } : {}
        try {
          const answer = await fetch(address, { credentials, headers, ...post })
          return { status: answer.status, text: await answer.text() }
        } catch {
          return 'unreadable'
        }
      },
      [
        credential,
        url + path,
        options.credentials ?? 'same-origin',
        options.body ? JSON.stringify(options.body) : '',
      ] as const,
    )

  test('cannot read anything with a key', async () => {
    const paths = [`/v2/runs/${cast.run}`, `/v2/runs/${cast.run}/stream`, '/v2/runs', '/v2/agents', '/v2/api/auth/me']
    for (const path of paths) expect([path, await ask(tenant.key, path)]).toEqual([path, 'unreadable'])
    const body = { type: 'message', payload: { message: 'x' } }
    expect(await ask(tenant.key, `/v2/runs/${cast.run}/action`, { body })).toBe('unreadable')
  })

  test('[S47] reads, answers and streams the run of its token, and nothing else', async () => {
    const path = `/v2/runs/${cast.waitingRun}`
    expect(await ask(token, path)).toMatchObject({ status: 200, text: expect.stringContaining('requires_action') })
    const approved = await ask(token, `${path}/action`, { body: { type: 'approve' } })
    expect(approved).toMatchObject({ status: 200 })
    const streamed = await ask(token, `${path}/stream`)
    expect(streamed).toMatchObject({ status: 200, text: expect.stringContaining('event: run.completed') })
    expect(await ask(token, `/v2/runs/${cast.run}`)).toMatchObject({ status: 403 })
    expect(await ask(token, '/v2/runs')).toBe('unreadable')
  })

  test('reads nothing with a token combined with the visitor’s cookie', async () => {
    expect(await ask(token, `/v2/runs/${cast.waitingRun}`, { credentials: 'include' })).toBe('unreadable')
  })
})

test('the service’s own page can do everything that the other pages could not', async () => {
  const again = { agent_id: tenant.agents['test-approval'], input: {} }
  const { id: waitingRun } = (await app.call('POST', '/v2/runs', { key: tenant.key, body: again })).body
  for (const { name, method, path } of readsOf(cast).filter((target) => !target.path.endsWith('/stream'))) {
    expect([name, (await own.ask(method, path)).status]).toEqual([name, 200])
  }
  for (const { name, method, path, body } of writesOf({ ...cast, waitingRun })) {
    const before = await readTables(app)
    const answer = await own.ask(method, path, method === 'DELETE' ? undefined : body)
    expect([name, answer.status]).toEqual([name, expect.toBeOneOf([200, 201])])
    expect([name, await readTables(app)]).not.toEqual([name, before])
  }
  expect((await own.ask('GET', '/v2/api/auth/me')).status).toBe(401)
})

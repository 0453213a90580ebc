import { createAccess } from '@ars/core/access'
import { createPeople } from '@ars/core/people'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, until } from './app.ts'

let app: App
const password = 'a long enough Password, 7'
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

/** The link for a first owner, as `ars-server admin create-org` creates it. */
const ownersLink = async (email: string): Promise<string> => {
  const log = createLog({ level: 'silent' })
  const open = (url: string) => openDatabase({ url, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  const databases = {
    app: open(app.database.appUrl),
    auth: open(app.database.authUrl),
    system: open(app.database.systemUrl),
  }
  const pubSub = await openPubSub({ url: testRedisUrl(), log })
  const parts = { ...databases, pubSub, log, clock: systemClock, newId: createIdMaker(systemClock) }
  const access = createAccess(parts)
  const people = createPeople({ ...parts, keys: access.tree, config: { publicUrl: app.url } })
  try {
    return (await people.invitations.inviteByOperator(app.tenant.org, { email, role: 'owner' })).link
  } finally {
    await people.close()
    await access.close()
    pubSub.close()
    await Promise.all(Object.values(databases).map((each) => each.close()))
  }
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call('POST', path, { key: null, body, headers: { ...sameOrigin, ...headers } })
const tokenOf = (link: string) => link.split('#token=')[1]
const cookieOf = ({ headers }: Reply) => /^(__Host-ars_session=[^;]+);/.exec(String(headers['set-cookie']))?.[1] ?? ''
const deviceOf = ({ headers }: Reply) => /(__Host-ars_device=[^;]+);/.exec(String(headers['set-cookie']))?.[1] ?? ''
const withCookie = (method: string, path: string, cookie: string, body?: unknown) =>
  app.call(method, path, { key: null, body, headers: { ...sameOrigin, cookie } })

const newOwner = async (email: string): Promise<string> => {
  const answer = await post('/v2/api/auth/invitation', { token: tokenOf(await ownersLink(email)), password })
  expect(answer.status).toBe(200)
  return cookieOf(answer)
}

test('[S46] a login on either route sets an HttpOnly cookie that authenticates a browser’s calls until the logout', async () => {
  await newOwner('ada@people.example')
  for (const base of ['', '/v2']) {
    const login = await post(`${base}/api/auth/login`, { email: 'Ada@People.example', password })
    expect(login).toMatchObject({
      status: 200,
      body: { object: 'session', role: 'owner', user: { email: 'ada@people.example' } },
    })
    expect(String([login.headers['set-cookie']].flat()[0])).toMatch(
      /^__Host-ars_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=604800$/,
    )
    const cookie = cookieOf(login)
    expect(await withCookie('GET', `${base}/api/auth/me`, cookie)).toMatchObject({ status: 200, body: login.body })
    expect((await withCookie('GET', '/v2/agents', cookie)).body.data.length).toBeGreaterThan(0)
    expect((await withCookie('GET', '/v2/sessions', cookie)).body.data[0]).toMatchObject({
      id: login.body.id,
      is_current: true,
    })
    const logout = await withCookie('POST', `${base}/api/auth/logout`, cookie, {})
    expect(logout.status).toBe(200)
    expect(String(logout.headers['set-cookie'])).toMatch(/^__Host-ars_session=; .*Max-Age=0$/)
    expect((await withCookie('GET', `${base}/api/auth/me`, cookie)).status).toBe(401)
  }
})

test('a new login invalidates the session that the browser had', async () => {
  const planted = await newOwner('fixed@people.example')
  const login = await withCookie('POST', '/api/auth/login', planted, { email: 'fixed@people.example', password })
  expect(login.status).toBe(200)
  expect(cookieOf(login)).not.toBe(planted)
  expect((await withCookie('GET', '/api/auth/me', planted)).status).toBe(401)
  expect((await withCookie('GET', '/api/auth/me', cookieOf(login))).status).toBe(200)
})

test('a key can read its identity and has no session to end', async () => {
  expect(await app.call('GET', '/api/auth/me')).toMatchObject({ status: 200, body: { object: 'me', type: 'api_key' } })
  expect(await app.call('POST', '/api/auth/logout', { body: {} })).toMatchObject({
    status: 403,
    body: { error: { code: 'forbidden', message: 'Only a person in a browser session can do this.' } },
  })
})

test('members are invited, change role and are removed, and each act is audited', async () => {
  const cookie = await newOwner('grace@people.example')
  const invited = await withCookie('POST', '/v2/members/invitations', cookie, {
    email: 'x@people.example',
    role: 'viewer',
  })
  expect(invited).toMatchObject({
    status: 201,
    body: { object: 'invitation', status: 'open', email: 'x@people.example' },
  })
  expect(invited.body.link).toMatch(new RegExp(`^${app.url}/dashboard/invitation#token=`))
  const joined = await post('/v2/api/auth/invitation', { token: tokenOf(invited.body.link), name: 'X', password })
  expect(joined).toMatchObject({ status: 200, body: { role: 'viewer', user: { name: 'X' } } })
  const viewer = cookieOf(joined)
  expect((await withCookie('GET', '/v2/members', viewer)).status).toBe(403)

  const listed = await withCookie('GET', '/v2/members', cookie)
  const member = listed.body.data.find(({ email }: { email: string }) => email === 'x@people.example')
  const path = `/v2/members/${member.id}`
  expect(await withCookie('PATCH', path, cookie, { role: 'admin' })).toMatchObject({
    status: 200,
    body: { role: 'admin' },
  })
  // In effect within 5 s, for the open session.
  await until('the new role', async () => (await withCookie('GET', '/v2/members', viewer)).status === 200)
  const reset = await withCookie('POST', '/v2/members/password-resets', cookie, { member_id: member.id })
  expect(reset).toMatchObject({ status: 201, body: { object: 'password_reset_link', member_id: member.id } })
  const next = 'quite another Password, 9'
  expect(await post('/v2/api/auth/password-reset', { token: tokenOf(reset.body.link), password: next })).toMatchObject({
    status: 200,
    body: { object: 'password_reset', user: { email: 'x@people.example' } },
  })
  const again = await post('/api/auth/login', { email: 'x@people.example', password: next })
  expect(again.status).toBe(200)
  expect((await withCookie('DELETE', path, cookie)).status).toBe(200)
  await until(
    'that the removed is out',
    async () => (await withCookie('GET', '/api/auth/me', cookieOf(again))).status === 401,
  )
  const log = await app.query<{ action: string }>('select action from audit_log where org_id = $1 order by number', [
    app.tenant.org,
  ])
  const acts = log.map(({ action }) => action)
  for (const act of ['member.invited', 'member.joined', 'session.started', 'member.role_changed', 'member.removed']) {
    expect(acts).toContain(act)
  }
})

test('after ten wrong guesses the response is 429 with Retry-After, for existing and unknown accounts', async () => {
  await newOwner('alan@people.example')
  const answers: Reply[][] = []
  for (const email of ['alan@people.example', 'nobody@people.example']) {
    const replies: Reply[] = []
    for (let guess = 0; guess < 11; guess++)
      replies.push(await post('/api/auth/login', { email, password: `guess ${guess}` }))
    answers.push(replies)
  }
  const shown = answers.map((replies) =>
    replies.map(({ status, headers, body }) => [status, 'retry-after' in headers, body.error.code, body.error.message]),
  )
  expect(shown[0]).toEqual(shown[1])
  expect(shown[0]?.map(([status]) => status)).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  for (const replies of answers) {
    const seconds = Number(replies.at(-1)?.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(900)
  }
})

test('a browser that has logged in before is not locked out by strangers', async () => {
  await newOwner('edsger@people.example')
  const login = { email: 'edsger@people.example', password }
  const first = await post('/api/auth/login', login)
  const device = deviceOf(first)
  expect(String(first.headers['set-cookie'])).toMatch(
    /__Host-ars_device=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=15552000/,
  )
  for (let guess = 0; guess < 11; guess++) await post('/api/auth/login', { ...login, password: `guess ${guess}` })
  expect((await post('/api/auth/login', login)).status).toBe(429)
  expect((await post('/api/auth/login', login, { cookie: device })).status).toBe(200)
  // The cookie alone opens nothing.
  expect((await withCookie('GET', '/api/auth/me', device)).status).toBe(401)
})

// Row 67 of the bad inputs.
test.for([
  ['an SQL quote', { email: `'or'1'='1@people.example`, password }, 401],
  ['no e-mail address', { email: `' or 1=1 --`, password }, 400],
  ['a password of a megabyte', { email: 'ada@people.example', password: 'x'.repeat(1_000_000) }, 400],
  ['NUL in the password', { email: 'ada@people.example', password: 'x\0y' }, 422],
  ['NUL in the address', { email: 'ada\0@people.example', password }, 422],
  ['a list as password', { email: 'ada@people.example', password: ['x'] }, 400],
  ['half a character', { email: 'ada\ud800@people.example', password: '\udfff' }, 422],
  ['a field that is not asked for', { email: 'ada@people.example', password, role: 'owner' }, 400],
] as const)('a login with %s is refused and causes no internal error', async ([, body, status]) => {
  const answer = await post('/api/auth/login', body)
  expect(answer.status).toBe(status)
  expect(answer.headers['set-cookie']).toBeUndefined()
})

const invite = (email: string, tenant = app.tenant) =>
  app.call('POST', '/v2/members/invitations', { key: tenant.key, body: { email, role: 'viewer' } })

test.each(['x@[127.0.0.1]', '"x"@people.example', 'x,y@people.example', 'x@people..example'])(
  'nobody is invited at an address that no mail reaches: %s',
  async (email) => {
    const { status, body } = await invite(email)
    expect([status, body.error.code, body.error.param]).toEqual([422, 'input_invalid', 'email'])
  },
)

test('an invitation that waits for other changes of the members is refused for a moment, and the service is well', async () => {
  const tenant = await app.addTenant()
  await asClient(app.database.superuserUrl, async (other) => {
    await other.query('begin')
    await other.query(`select pg_advisory_xact_lock(hashtextextended('members ' || $1, 0))`, [tenant.org])
    const { status, body, headers } = await invite('waiting@people.example', tenant)
    expect([status, body.error.code, headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  })
  expect((await invite('waiting@people.example', tenant)).status).toBe(201)
})

test('of several invitations to one address at once the last one is open', async () => {
  const tenant = await app.addTenant()
  const answers = await Promise.all(Array.from({ length: 6 }, () => invite('crowd@people.example', tenant)))
  for (const { status, text } of answers) expect([201, 429], text).toContain(status)
  const { body } = await app.call('GET', '/v2/members/invitations', { key: tenant.key })
  const states = body.data.map(({ status }: { status: string }) => status)
  expect([states.length, states.filter((state: string) => state === 'open')]).toEqual([
    answers.filter(({ status }) => status === 201).length,
    ['open'],
  ])
})

test('no log line contains a password, a session or a link', async () => {
  const link = await ownersLink('quiet@people.example')
  const cookie = cookieOf(await post('/v2/api/auth/invitation', { token: tokenOf(link), password }))
  await withCookie('GET', '/api/auth/me', cookie)
  const lines = app.logLines.join('\n')
  expect(lines).toContain('auth.acceptInvitation')
  for (const secret of [password, cookie.split('=')[1] ?? '', tokenOf(link) ?? '']) {
    expect(secret.length).toBeGreaterThan(20)
    expect(lines).not.toContain(secret)
  }
})

import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'
import { cookieOf, inviteVisitor, ownPage } from './browser.ts'

let app: App
let other: Tenant
const cookies: Record<string, string> = {}
beforeAll(async () => {
  app = await sharedApp()
  other = await app.addTenant()
  for (const role of ['admin', 'developer', 'viewer']) {
    cookies[role] = (await inviteVisitor(app, app.tenant, role)).cookie
  }
})
afterAll(() => app.stop())

const as = (role: string, headers: Record<string, string> = {}) => ({
  key: null,
  headers: { cookie: cookies[role] ?? '', ...ownPage, ...headers },
})
const newKey = async (body: object): Promise<string> =>
  (await app.call('POST', '/v2/api-keys', { body: { name: 'Test', ...body } })).body.key
const lastAudit = async (action: string, key = app.tenant.key) =>
  (await app.call('GET', `/v2/audit-log?action=${action}&limit=1`, { key })).body.data[0]
const ownId = () => fromUuid('org', app.tenant.org)

describe('the organisation', () => {
  test('is shown to every credential, with its plan and limits', async () => {
    const [organisation] = await app.query<{ name: string }>('select name from organisations where id = $1', [
      app.tenant.org,
    ])
    const byKey = await app.call('GET', '/v2/organisation')
    expect(byKey.body).toMatchObject({
      object: 'organisation',
      id: ownId(),
      name: organisation?.name,
      plan: 'business',
      max_key_lifetime_days: null,
      limits: {
        requests_per_minute: 10_000,
        burst: 15_000,
        calls_per_month: 5_000_000,
        concurrent_runs: 500,
        run_timeout_max_seconds: 86_400,
        storage_bytes: 100 * 2 ** 30,
        run_retention_days: 30,
      },
    })
    for (const role of Object.keys(cookies)) {
      const { status, body } = await app.call('GET', '/v2/organisation', as(role))
      expect([role, status, body]).toEqual([role, 200, byKey.body])
    }
  })

  test('is renamed by an admin, seen by keys at once, and audited', async () => {
    await app.call('GET', '/v2/api/auth/me')
    const renamed = await app.call('PATCH', '/v2/organisation', { ...as('admin'), body: { name: '  Globex  ' } })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Globex'])
    expect((await app.call('GET', '/v2/api/auth/me')).body.organisation.name).toBe('Globex')
    const entry = await lastAudit('organisation.renamed')
    expect(entry).toMatchObject({ actor: { type: 'user' }, subject: ownId(), after: { name: 'Globex' } })
    expect((await app.call('GET', '/v2/organisation', { key: other.key })).body.name).not.toBe('Globex')
  })

  test('is not audited again if the name is the same', async () => {
    const before = await lastAudit('organisation.renamed')
    const { name } = (await app.call('GET', '/v2/organisation')).body
    expect((await app.call('PATCH', '/v2/organisation', { body: { name } })).status).toBe(200)
    expect(await lastAudit('organisation.renamed')).toEqual(before)
  })

  test('is not renamed by a role without members:write, a narrowed key or a token', async () => {
    const narrowed = await newKey({ scopes: ['members:write'], agent_ids: [app.tenant.agents['test-echo']] })
    const { token } = (await app.call('POST', '/v2/session-tokens', { body: { scopes: ['members:write'] } })).body
    for (const credential of [as('developer'), as('viewer'), { key: narrowed }, { key: token }]) {
      const { status, body } = await app.call('PATCH', '/v2/organisation', { ...credential, body: { name: 'No' } })
      expect([status, body.error.code]).toEqual([403, 'forbidden'])
    }
    for (const name of ['', '   ', 'x'.repeat(201)]) {
      expect((await app.call('PATCH', '/v2/organisation', { body: { name } })).status).toBe(400)
    }
  })
})

describe('the name of a person', () => {
  test('is changed by the person, on either route, and audited in each organisation', async () => {
    const { email } = (await app.call('GET', '/v2/api/auth/me', as('viewer'))).body.user
    const link = (
      await app.call('POST', '/v2/members/invitations', { key: other.key, body: { email, role: 'viewer' } })
    ).body.link
    const joined = await app.call('POST', '/v2/api/auth/invitation', {
      ...as('viewer'),
      body: { token: link.split('#token=')[1], password: 'nine blue lanterns by the quay' },
    })
    expect(joined.status).toBe(200)
    const home = { organisation_id: ownId() }
    const back = await app.call('POST', '/v2/api/auth/organisation', {
      key: null,
      headers: { cookie: cookieOf(joined), ...ownPage },
      body: home,
    })
    cookies.viewer = cookieOf(back)
    for (const [path, name] of [
      ['/api/auth/me', 'Grace'],
      ['/v2/api/auth/me', 'Grace Hopper'],
    ] as const) {
      const renamed = await app.call('PATCH', path, { ...as('viewer'), body: { name } })
      expect([renamed.status, renamed.body.user.name]).toEqual([200, name])
    }
    for (const key of [app.tenant.key, other.key]) {
      expect(await lastAudit('user.renamed', key)).toMatchObject({
        actor: { type: 'user' },
        before: { name: 'Grace' },
        after: { name: 'Grace Hopper' },
      })
    }
  })

  test('is no matter of keys', async () => {
    const { status, body } = await app.call('PATCH', '/v2/api/auth/me', { body: { name: 'A key' } })
    expect([status, body.error.code]).toEqual([403, 'forbidden'])
  })
})

describe('the directory of members', () => {
  test('names every member to every role, without e-mail addresses', async () => {
    const all = (await app.call('GET', '/v2/members')).body.data
    for (const role of Object.keys(cookies)) {
      const { status, body, text } = await app.call('GET', '/v2/members/directory', as(role))
      expect(status).toBe(200)
      expect(text).not.toContain('@')
      expect(body.data).toEqual(
        all.map(({ id, user_id, name, role: of }: Record<string, string>) => ({
          id,
          object: 'member_summary',
          user_id,
          name,
          role: of,
        })),
      )
    }
    const first = (await app.call('GET', '/v2/members/directory?limit=1', as('viewer'))).body
    expect([first.data.length, first.has_more]).toEqual([1, true])
    const next = (await app.call('GET', `/v2/members/directory?after=${first.last_id}`, as('viewer'))).body
    expect([...first.data, ...next.data]).toHaveLength(all.length)
  })

  test('is as closed to keys as the list of members', async () => {
    const without = await newKey({ scopes: ['runs:read'] })
    expect((await app.call('GET', '/v2/members/directory', { key: without })).status).toBe(403)
    expect((await app.call('GET', '/v2/members/directory')).status).toBe(200)
  })
})

describe('the header ARS-Organisation', () => {
  const withOrganisation = (organisation: string) => ({ 'ars-organisation': organisation })
  const foreign = () => fromUuid('org', other.org)

  test('lets requests of the expected organisation pass', async () => {
    expect((await app.call('GET', '/v2/agents', as('viewer', withOrganisation(ownId())))).status).toBe(200)
    expect((await app.call('GET', '/v2/agents', { headers: withOrganisation(ownId()) })).status).toBe(200)
  })

  test('refuses every other, for cookies, keys and tokens, before anything is done', async () => {
    const { token } = (await app.call('POST', '/v2/session-tokens', { body: { scopes: ['runs:read'] } })).body
    for (const organisation of [foreign(), 'org_nonsense', '', ownId().toUpperCase(), `${ownId()}, ${foreign()}`]) {
      const headers = withOrganisation(organisation)
      for (const credential of [as('admin', headers), { headers }, { key: token, headers }]) {
        const { status, body } = await app.call('GET', '/v2/runs', credential)
        expect([organisation, status, body.error.code]).toEqual([organisation, 422, 'organisation_mismatch'])
      }
    }
    const { name } = (await app.call('GET', '/v2/organisation')).body
    const write = { ...as('admin', withOrganisation(foreign())), body: { name: 'Wrong tab' } }
    expect((await app.call('PATCH', '/v2/organisation', write)).body.error.code).toBe('organisation_mismatch')
    expect((await app.call('GET', '/v2/organisation')).body.name).toBe(name)
  })

  test('selects no organisation: a member of both acts for the one of the session', async () => {
    const { organisation, organisations } = (await app.call('GET', '/v2/api/auth/me', as('viewer'))).body
    expect(organisations).toHaveLength(2)
    const answer = await app.call('GET', '/v2/organisation', as('viewer', withOrganisation(organisation.id)))
    expect(answer.body.id).toBe(ownId())
    const refused = await app.call('GET', '/v2/organisation', as('viewer', withOrganisation(foreign())))
    expect(refused.status).toBe(422)
  })

  test('does not matter where no credential is needed', async () => {
    const { status } = await app.call('POST', '/v2/api/auth/login', {
      key: null,
      headers: { ...ownPage, ...withOrganisation(foreign()) },
      body: { email: 'nobody@example.com', password: 'nine blue lanterns by the quay' },
    })
    expect(status).toBe(401)
  })
})

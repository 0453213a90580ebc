import { apiBasePath, contract, limits, type Operation, type RunShare } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, type Organisation, plantPerson, plantSession } from './access-matrix/people.ts'
import { type App, type CallOptions, type Reply, sharedApp, type Tenant, until } from './app.ts'
import { ownPage } from './browser.ts'
import { type OpenRequest, openRequest } from './credential-ends/open-request.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const secret = 'SHARED-SECRET-4711'
const codeOf = ({ status, body }: Reply): string => `${status} ${body?.error?.code ?? ''}`.trim()
const newRun = async ({ key, agents }: Tenant): Promise<string> => {
  const body = { agent_id: agents['test-echo'], input: { query: secret } }
  return (await app.call('POST', '/v2/runs', { key, body })).body.id
}
const slowRun = async ({ key, agents }: Tenant): Promise<string> => {
  const body = { agent_id: agents['test-slow'], input: { seconds: 300 } }
  return (await app.call('POST', '/v2/runs', { key, body, headers: { prefer: 'respond-async' } })).body.id
}
const share = async (run: string, maker: CallOptions, body: object = {}): Promise<RunShare & { token: string }> => {
  const made = await app.call('POST', `/v2/runs/${run}/shares`, { ...maker, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body
}
const read = (run: string, token: string | null, view = '') => app.call('GET', `/v2/runs/${run}${view}`, { key: token })
const refused = (run: string, token: string) =>
  until('the refusal of the link', async () => codeOf(await read(run, token)) === '401 unauthorized')

const operations = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).map(([name, operation]) => ({ name: `${resource}.${name}`, operation })),
)
const authenticated = operations.filter(({ operation }) => operation.scope !== 'anyone')
const callOf = ({ method, path }: Operation, run: string): [string, string, { body?: object }] => [
  method,
  apiBasePath +
    path
      .replace('{id}', run)
      .replace('{share_id}', newId('shr'))
      .replaceAll(/\{\w+\}/g, run),
  method === 'POST' || method === 'PATCH' ? { body: {} } : {},
]

describe('the token of a link', () => {
  test('reads the run, its steps and its stream, from the link that the maker got once', async () => {
    const { tenant } = app
    const run = await newRun(tenant)
    const made = await share(run, {})
    expect(made).toMatchObject({
      object: 'run_share',
      run_id: run,
      url: `${app.url}/dashboard/shared#run=${run}&token=${made.token}`,
    })
    const whole = await read(run, app.tenant.key)
    expect((await read(run, made.token)).body).toEqual(whole.body)
    expect((await read(run, made.token, '/steps')).body.data[0]).toMatchObject({ object: 'run_step', number: 1 })
    expect((await read(run, made.token, '/stream')).text).toContain(secret)
    expect((await app.call('HEAD', `/v2/runs/${run}`, { key: made.token })).status).toBe(200)
    const listed = await app.call('GET', `/v2/runs/${run}/shares`)
    expect([listed.body.data, listed.text.includes(made.token)]).toMatchObject([[{ id: made.id }], false])
  })

  test.each(authenticated)('$name: is refused unless it reads the run', async ({ name, operation }) => {
    const run = await newRun(app.tenant)
    const { token } = await share(run, {})
    const [method, path, body] = callOf(operation, run)
    const answer = await app.call(method, path, { key: token, ...body })
    const isOpen = ['runs.get', 'runs.watch', 'runs.steps'].includes(name)
    expect([name, codeOf(answer)]).toEqual([name, isOpen ? '200' : '403 forbidden'])
    expect(answer.text.includes(secret)).toBe(isOpen)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('reads no other run, of its organisation or of another, and nothing without a credential', async () => {
    const run = await newRun(app.tenant)
    const other = await app.addTenant()
    const [beside, foreign] = [await newRun(app.tenant), await newRun(other)]
    const { token } = await share(run, {})
    for (const view of ['', '/steps', '/stream']) {
      for (const id of [beside, foreign, newId('run')]) {
        const answer = await read(id, token, view)
        expect([codeOf(answer), answer.text.includes(secret)]).toEqual(['403 forbidden', false])
      }
      expect(codeOf(await read(run, null, view))).toBe('401 unauthorized')
      expect(codeOf(await read(run, `${token.slice(0, -1)}!`, view))).toBe('401 unauthorized')
      const inAddress = await app.call('GET', `/v2/runs/${run}${view}?token=${token}`, { key: null })
      expect(codeOf(inAddress)).toBe('401 unauthorized')
    }
    const headers = { 'ars-organisation': 'org_01kf3xw0fqe1vrr9m8sdv2wbx4' }
    expect(codeOf(await app.call('GET', `/v2/runs/${run}`, { key: token, headers }))).toBe('422 organisation_mismatch')
  })

  test('has its own rate limit: readers do not use up the one of the maker', async () => {
    const run = await newRun(app.tenant)
    const { token } = await share(run, {})
    const { headers } = await read(run, token)
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
      String(limits.shareBurst),
      String(limits.shareBurst - 1),
    ])
    const small = await app.addTenant({ plan: 'demo' })
    const shared = await newRun(small)
    const poor = await share(shared, { key: small.key })
    expect((await read(shared, poor.token)).headers['x-ratelimit-limit']).toBe('15')
  })

  test('wins over a cookie that the browser sends along', async () => {
    const run = await newRun(app.tenant)
    const { token } = await share(run, {})
    const organisation: Organisation = { ...app.tenant, marker: 'cookie', person: { userId: '', memberId: '' } }
    const { cookie } = await plantSession(app, organisation, await plantPerson(app, organisation, 'owner'))
    const headers = { cookie, ...ownPage }
    const list = await app.call('GET', '/v2/runs', { key: token, headers })
    expect(codeOf(list)).toBe('403 forbidden')
  })

  test('is in no log, no audit entry and no refusal', async () => {
    const run = await newRun(app.tenant)
    const made = await share(run, { headers: { 'idempotency-key': 'secret-link' } })
    await read(run, made.token, '/diagnosis')
    await read(run, made.token, '/stream')
    const again = await app.call('POST', `/v2/runs/${run}/shares`, {
      body: {},
      headers: { 'idempotency-key': 'secret-link' },
    })
    expect([again.status, again.headers['idempotency-replayed'], again.body]).toMatchObject([
      201,
      'true',
      { id: made.id, token: null, url: null },
    ])
    await app.call('DELETE', `/v2/runs/${run}/shares/${made.id}`)
    const audit = await app.call('GET', `/v2/audit-log?subject=${run}`)
    expect(audit.body.data.map(({ action }: { action: string }) => action)).toEqual(['run.share_revoked', 'run.shared'])
    const random = made.token.split('_')[2]?.slice(0, 32) ?? made.token
    const all = [...app.logLines, audit.text].join('\n')
    expect([all.includes(run), all.includes(random)]).toEqual([true, false])
  })
})

describe('a link ends', () => {
  const opened = async (run: string, token: string): Promise<OpenRequest> => {
    const stream = openRequest(app.url, { key: token }, { method: 'GET', path: `/v2/runs/${run}/stream` })
    await until('the stream', async () => stream.status() === 200 && stream.text().includes('retry:'))
    return stream
  }

  test('when it is revoked, also for an open stream', async () => {
    const run = await slowRun(app.tenant)
    const { id, token } = await share(run, {})
    const stream = await opened(run, token)
    expect((await app.call('DELETE', `/v2/runs/${run}/shares/${id}`)).body.id).toBe(id)
    await refused(run, token)
    await until('the end of the stream', async () => stream.isOver())
    expect(codeOf(await app.call('DELETE', `/v2/runs/${run}/shares/${id}`))).toBe('404 not_found')
    await app.call('DELETE', `/v2/runs/${run}`)
  })

  test('with the key that made it', async () => {
    const run = await newRun(app.tenant)
    const body = { name: 'Sharer', scopes: ['runs:read', 'runs:share'] }
    const { id, key } = (await app.call('POST', '/v2/api-keys', { body })).body
    const { token } = await share(run, { key })
    expect((await read(run, token)).status).toBe(200)
    await app.call('DELETE', `/v2/api-keys/${id}`)
    await refused(run, token)
  })

  test('with the role and with the membership of the person who made it, and not with the session', async () => {
    const run = await newRun(app.tenant)
    const organisation: Organisation = { ...app.tenant, marker: 'sharer', person: { userId: '', memberId: '' } }
    const person = await plantPerson(app, organisation, 'developer')
    const { cookie } = await plantSession(app, organisation, person)
    const browser = { key: null, headers: { cookie, ...ownPage } }
    const made = await share(run, browser)
    expect(made.created_by).toBe(person.userId)
    await app.call('POST', '/v2/api/auth/logout', { ...browser, body: {} })
    expect((await read(run, made.token)).status).toBe(200)
    const setRole = (role: string) => app.call('PATCH', `/v2/members/${person.memberId}`, { body: { role } })
    await setRole('viewer')
    await refused(run, made.token)
    await setRole('developer')
    await until('the link to work again', async () => (await read(run, made.token)).status === 200)
    await app.call('DELETE', `/v2/members/${person.memberId}`)
    await refused(run, made.token)
    expect((await app.call('GET', `/v2/runs/${run}/shares`)).body.data).toEqual([])
  })

  test('when the data of the run is erased, which is audited with the number of links', async () => {
    const run = await newRun(app.tenant)
    const [{ token }] = [await share(run, {}), await share(run, {})]
    expect((await read(run, token)).text).toContain(secret)
    expect((await app.call('DELETE', `/v2/runs/${run}/data`)).status).toBe(200)
    await refused(run, token)
    expect(codeOf(await read(run, token, '/stream'))).toBe('401 unauthorized')
    const [entry] = (await app.call('GET', `/v2/audit-log?subject=${run}&action=run.data_erased`)).body.data
    expect(entry.after).toEqual({ shares_ended: 2 })
  })
})

describe('a link is made', () => {
  test('by owner, admin and developer, and not by a viewer, a short-lived token or a key without runs:read', async () => {
    const run = await newRun(app.tenant)
    const organisation: Organisation = { ...app.tenant, marker: 'roles', person: { userId: '', memberId: '' } }
    const codes: Record<string, string> = {}
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      const { cookie } = await plantSession(app, organisation, await plantPerson(app, organisation, role))
      const browser = { key: null, headers: { cookie, ...ownPage } }
      codes[role] = codeOf(await app.call('POST', `/v2/runs/${run}/shares`, { ...browser, body: {} }))
    }
    expect(codes).toEqual({ owner: '201', admin: '201', developer: '201', viewer: '403 forbidden' })
    const scopes = ['runs:read', 'runs:share']
    const token = (await app.call('POST', '/v2/session-tokens', { body: { scopes, run_id: run } })).body.token
    const blind = (await app.call('POST', '/v2/api-keys', { body: { name: 'x', scopes: ['runs:share'] } })).body.key
    for (const key of [token, blind])
      expect(codeOf(await app.call('POST', `/v2/runs/${run}/shares`, { key, body: {} }))).toBe('403 forbidden')
  })

  test('by a narrowed key for runs of its agents only', async () => {
    const { agents } = app.tenant
    const body = { name: 'Narrowed', scopes: ['runs:read', 'runs:share'], agent_ids: [agents['test-echo']] }
    const { key } = (await app.call('POST', '/v2/api-keys', { body })).body
    const { token } = await share(await newRun(app.tenant), { key })
    expect(token).toMatch(/^ars_share_/)
    const other = await slowRun(app.tenant)
    expect(codeOf(await app.call('POST', `/v2/runs/${other}/shares`, { key, body: {} }))).toBe('403 forbidden')
    await app.call('DELETE', `/v2/runs/${other}`)
  })

  test('for 1 second to 30 days, and for no run that is not there', async () => {
    const run = await newRun(app.tenant)
    for (const expires_in_seconds of [0, -1, 1.5, limits.shareMaxSeconds + 1, '60']) {
      const answer = await app.call('POST', `/v2/runs/${run}/shares`, { body: { expires_in_seconds } })
      expect([expires_in_seconds, codeOf(answer)]).toEqual([expires_in_seconds, '400 invalid_request'])
    }
    const made = await share(run, {}, { expires_in_seconds: limits.shareMaxSeconds })
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(limits.shareMaxSeconds * 1_000)
    expect(codeOf(await app.call('POST', `/v2/runs/${newId('run')}/shares`, { body: {} }))).toBe('404 not_found')
  })

  test('nowhere, and works nowhere, where short-lived tokens are off', async () => {
    const run = await newRun(app.tenant)
    const { token } = await share(run, {})
    const off = await app.join('gateway', { ARS_SESSION_TOKENS: 'off' })
    expect(codeOf(await app.call('POST', `/v2/runs/${run}/shares`, { url: off.url, body: {} }))).toBe('403 forbidden')
    expect(codeOf(await app.call('GET', `/v2/runs/${run}`, { url: off.url, key: token }))).toBe('401 unauthorized')
    await off.stop()
  })
})

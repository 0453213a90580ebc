import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedGateway, strictEgress } from './app.ts'

const secret = 'tok_0123456789abcdefghijklmnop'
const mail = { name: 'Mail', url: 'https://mail.example.com/mcp', auth: { type: 'bearer', token: secret } }

let app: App
beforeAll(async () => {
  app = await sharedGateway({ ...strictEgress })
})
afterAll(() => app.stop())

const create = (body: unknown, headers: Record<string, string> = {}) =>
  app.call('POST', '/v2/connectors', { body, headers })

test('a connector is added, read, listed and deleted, and its credential appears in no response', async () => {
  const created = await create(mail)
  expect(created.status).toBe(201)
  expect(created.headers.location).toBe(`/v2/connectors/${created.body.id}`)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^con_[0-9a-z]{26}$/),
    object: 'connector',
    name: 'Mail',
    url: 'https://mail.example.com/mcp',
    auth: { type: 'bearer', header: null, hint: '…mnop' },
    status: 'active',
    tools: { approved: 0, pending: 0, changed: 0, gone: 0 },
    tools_listed_at: null,
    tools_error: expect.stringContaining('Connector “Mail”'),
    created_by: expect.stringMatching(/^key_/),
    created_at: expect.stringMatching(/Z$/),
    moved_by: null,
  })
  const read = await app.call('GET', `/v2/connectors/${created.body.id}`)
  expect(read).toMatchObject({ status: 200, body: created.body })
  const list = await app.call('GET', '/v2/connectors')
  expect(list.body).toMatchObject({ object: 'list', data: [created.body], has_more: false, first_id: created.body.id })
  const deleted = await app.call('DELETE', `/v2/connectors/${created.body.id}`)
  expect(deleted).toMatchObject({ status: 200, body: { ...created.body, status: 'deleted' } })
  expect((await app.call('GET', `/v2/connectors/${created.body.id}`)).status).toBe(404)
  expect((await app.call('DELETE', `/v2/connectors/${created.body.id}`)).status).toBe(404)
  for (const { text } of [created, read, list, deleted]) expect(text).not.toContain(secret)
})

test('the list is paged, newest first', async () => {
  const tenant = await app.addTenant()
  const add = (name: string) =>
    app.call('POST', '/v2/connectors', { key: tenant.key, body: { name, url: 'https://example.com/mcp' } })
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await add(name)).body.id)
  const page = (query: string) => app.call('GET', `/v2/connectors?${query}`, { key: tenant.key })
  const first = await page('limit=2')
  expect(first.body).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[1] })
  expect((await page(`limit=2&after=${ids[1]}`)).body).toMatchObject({
    has_more: false,
    first_id: ids[2],
    last_id: ids[2],
  })
  expect((await page(`limit=2&before=${ids[2]}`)).body).toMatchObject({
    has_more: false,
    first_id: ids[0],
    last_id: ids[1],
  })
})

test('a retry with the same key gets the same connector and never the credential; a different body is refused', async () => {
  const headers = { 'idempotency-key': 'connect-mail' }
  const first = await create(mail, headers)
  const again = await create(mail, headers)
  expect(again).toMatchObject({ status: 201, body: first.body })
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(again.text).not.toContain(secret)
  const other = await create({ ...mail, name: 'Other' }, headers)
  expect(other).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } })
})

test.for([
  'http://mail.example.com/mcp',
  'https://127.0.0.1/mcp',
  'https://[::ffff:169.254.169.254]/latest',
  'https://2130706433/',
  'https://metadata.google.internal/',
  'https://localhost/',
  'https://user:pass@example.com/',
  'https://example.com:6379/',
  'ftp://example.com/',
  'not an address',
])('the address %s is refused', async (url) => {
  const refused = await create({ name: 'x', url })
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'url_not_allowed', param: 'url' } } })
})

test.for<[string, unknown]>([
  ['no address', { name: 'x' }],
  ['an empty name', { name: '', url: 'https://example.com/' }],
  ['an unknown field', { name: 'x', url: 'https://example.com/', secret }],
  ['a token with a line break', { ...mail, auth: { type: 'bearer', token: `${secret}\r\nx: y` } }],
  ['no token', { ...mail, auth: { type: 'bearer' } }],
  ['a token that is too long', { ...mail, auth: { type: 'bearer', token: secret.repeat(200) } }],
  ['a header of the protocol', { ...mail, auth: { type: 'header', header: 'Content-Length', value: secret } }],
  ['a host header', { ...mail, auth: { type: 'header', header: 'host', value: secret } }],
  ['a kind of auth that does not exist', { ...mail, auth: { type: 'basic', token: secret } }],
])('a connector with %s is malformed, and the response does not repeat the credential', async ([, body]) => {
  const refused = await create(body)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
  expect(refused.text).not.toContain(secret)
})

test('a connector of another organisation is not found', async () => {
  const { body } = await create({ name: 'Ours', url: 'https://example.com/mcp' })
  const stranger = await app.addTenant()
  for (const method of ['GET', 'DELETE']) {
    const answer = await app.call(method, `/v2/connectors/${body.id}`, { key: stranger.key })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  }
  expect((await app.call('GET', '/v2/connectors', { key: stranger.key })).body.data).toEqual([])
  expect((await app.call('GET', `/v2/connectors/${body.id}`)).status).toBe(200)
})

test('a key that may only read connectors can neither add nor delete one', async () => {
  const reader = await app.addTenant({ scopes: ['connectors:read'] })
  const body = { name: 'x', url: 'https://example.com/mcp' }
  expect((await app.call('POST', '/v2/connectors', { key: reader.key, body })).status).toBe(403)
  expect((await app.call('GET', '/v2/connectors', { key: reader.key })).status).toBe(200)
})

test('without an encryption key a credential is refused with a message', async () => {
  const keyless = await app.join('gateway', { ARS_KEKS: '' })
  const refused = await app.call('POST', '/v2/connectors', { url: keyless.url, body: mail })
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'secrets_disabled' } } })
  await keyless.stop()
})

test.for<[Record<string, string>, string]>([
  [{ ARS_KEKS: 'short:AAAA' }, 'ARS_KEKS: The key-encryption key short is not base64 of 32 bytes'],
  [{ ARS_KEKS: '', ARS_KEK_FILE: '/nowhere/kek' }, 'ARS_KEK_FILE: ENOENT'],
  [{ ARS_KEK_FILE: '/nowhere/kek' }, 'Set either ARS_KEK_FILE or ARS_KEKS, not both'],
  [{ ARS_EGRESS_ALLOW_RANGES: '10.0.0.0' }, 'ARS_EGRESS_ALLOW_RANGES: 10.0.0.0 is not a range'],
  [{ ARS_EGRESS_ALLOW_PORTS: '443,http' }, 'ARS_EGRESS_ALLOW_PORTS: must be a list of ports'],
  [
    { ARS_EGRESS_ALLOW_PORTS: 'any', ARS_TEST_STACK: 'false' },
    'ARS_EGRESS_ALLOW_PORTS: `any` is allowed only on a test stack',
  ],
  [
    { ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true', ARS_TEST_STACK: 'false' },
    'ARS_EGRESS_ALLOW_PLAIN_HTTP: allowed only on a test stack',
  ],
  [{ ARS_EGRESS_CA_FILE: '/dev/null' }, 'ARS_EGRESS_CA_FILE: the file contains no certificate'],
])('an invalid setting prevents the start and is named: %o', async ([settings, words]) => {
  await expect(app.join('gateway', settings)).rejects.toThrow(words)
})

test('no log line contains a credential', () => {
  expect(app.logLines.length).toBeGreaterThan(20)
  expect(app.logLines.join('\n')).not.toContain(secret)
})

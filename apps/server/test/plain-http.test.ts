import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, freePort, sharedGateway, until } from './app.ts'
import { readRefusal, sendRaw } from './raw-socket.ts'

let app: App
let port: number
beforeAll(async () => {
  port = await freePort()
  app = await sharedGateway({ ARS_PLAIN_HTTP_PORT: String(port), ARS_PLAIN_HTTP_KEY: 'flag' })
})
afterAll(() => app.stop())

const get = (path: string, headers: readonly string[] = []) =>
  [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')

type Flagged = { exposed_at: Date | null; revoked_at: Date | null }
const flagged = (org: string) =>
  until('the key to be flagged', async () => {
    const [row] = await app.query<Flagged>('select exposed_at, revoked_at from api_keys where org_id = $1', [org])
    return row?.exposed_at ? row : null
  })

describe('the plain HTTP port', () => {
  test.each([
    ['/v2/agents', []],
    ['/v2/nothing', []],
    ['/livez', []],
    ['/docs/errors', []],
    ['/v2/runs/%', []],
    ['/v2/agents', ['X-Forwarded-Proto: https']],
    ['/v2/agents', ['X-Forwarded-Proto: https', 'X-Forwarded-For: 127.0.0.1', 'Forwarded: proto=https']],
  ])('[S2] answers GET %s %j with 403 and never redirects', async (path, headers) => {
    const { status, code, head } = readRefusal(await sendRaw(port, get(path, headers), { plain: true }))
    expect([status, code]).toEqual([403, 'https_required'])
    expect(head).not.toMatch(/location:|strict-transport-security/)
    expect(head).toContain('x-content-type-options: nosniff')
  })

  test('flags a key that was sent to it, audits it, and does not repeat it', async () => {
    const { org, key } = await app.addTenant()
    const text = await sendRaw(port, get('/v2/agents', [`Authorization: Bearer ${key}`]), { plain: true })
    expect(readRefusal(text).code).toBe('https_required')
    expect(await flagged(org)).toMatchObject({ revoked_at: null })
    const log = await app.call('GET', '/v2/audit-log?action=api_key.exposed', { key })
    expect(log.body.data).toMatchObject([
      { action: 'api_key.exposed', actor: { type: 'service' }, address: '127.0.0.1' },
    ])
    expect(log.text).not.toContain(key)
    expect(app.logLines.join('')).not.toContain(key)
  })

  test('a key that is sent to the TLS port without TLS is flagged too', async () => {
    const { org, key } = await app.addTenant()
    const text = await sendRaw(app.port, get('/v2/agents', [`authorization: bearer ${key}`]), { plain: true })
    expect(readRefusal(text)).toMatchObject({ status: 400, code: 'invalid_request' })
    await flagged(org)
  })

  test('refuses a malformed request in the same format', async () => {
    expect(readRefusal(await sendRaw(port, 'nonsense\r\n\r\n', { plain: true })).status).toBe(400)
  })

  test('revokes the key if the operator configures it', async () => {
    const strict = await freePort()
    const gateway = await app.join('gateway', { ARS_PLAIN_HTTP_PORT: String(strict), ARS_PLAIN_HTTP_KEY: 'revoke' })
    const { org, key } = await app.addTenant()
    expect((await app.call('GET', '/v2/agents', { key })).status).toBe(200)
    await sendRaw(strict, get('/v2/agents', [`Authorization: Bearer ${key}`]), { plain: true })
    expect((await flagged(org)).revoked_at).not.toBeNull()
    await until('the key to be refused everywhere', async () => {
      const answers = await Promise.all([
        app.call('GET', '/v2/agents', { key }),
        app.call('GET', '/v2/agents', { key, url: gateway.url }),
      ])
      return answers.every(({ status }) => status === 401)
    })
    await gateway.stop()
  })
})

describe('behind a trusted proxy', () => {
  let proxied: { url: string; stop(): Promise<void> }
  let plain: number
  beforeAll(async () => {
    plain = await freePort()
    proxied = await app.join('gateway', {
      ARS_PLAIN_HTTP_PORT: String(plain),
      ARS_TRUSTED_PROXIES: '127.0.0.0/8,10.9.0.0/16',
    })
  })
  afterAll(() => proxied.stop())

  const ask = (headers: readonly string[]) =>
    sendRaw(plain, get('/v2/agents', [`Authorization: Bearer ${app.tenant.key}`, ...headers]), { plain: true })

  test('a request that reached the proxy over TLS is served', async () => {
    const text = await ask(['X-Forwarded-Proto: https'])
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text.toLowerCase()).toContain('strict-transport-security: max-age=31536000')
  })

  test.each([
    [[]],
    [['X-Forwarded-Proto: http']],
    [['X-Forwarded-Proto: https, http']],
    [['X-Forwarded-Proto: HTTPS ']],
  ])('a request with %j is refused', async (headers) => {
    expect(readRefusal(await ask(headers)).code).toBe('https_required')
  })

  test('a request that reached the proxy without TLS is refused on the TLS port too', async () => {
    const answer = await app.call('GET', '/v2/agents', { url: proxied.url, headers: { 'x-forwarded-proto': 'http' } })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'https_required'])
  })

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, 10.9.0.4', '203.0.113.9'],
    ['203.0.113.9, nonsense, 10.9.0.4', '10.9.0.4'],
    ['10.9.0.5', '10.9.0.5'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['', '127.0.0.1'],
  ])('the client behind %j is %s', async (hops, address) => {
    const headers = { 'x-forwarded-for': hops }
    const answer = await app.call('GET', '/v2/agents', { url: proxied.url, headers })
    const line = app.logLines.find((written) => written.includes(String(answer.headers['x-request-id'])))
    expect(JSON.parse(line ?? '{}').address).toBe(address)
  })
})

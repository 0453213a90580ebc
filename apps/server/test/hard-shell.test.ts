import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { ErrorBody, limits } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { type App, sharedApp } from './app.ts'
import { readRefusal, sendRaw } from './raw-socket.ts'

/*
 * Requests of attackers and broken programs. Each row of a table is one of them; each is refused in the common error
 * format, leaves nothing behind, and the next caller is served.
 */

let app: App
let client: Agent
beforeAll(async () => {
  app = await sharedApp()
  client = new Agent({ allowH2: false, connect: { ca: certificate() } })
})
afterAll(async () => {
  await client.close()
  await app.stop()
})

const certificate = () => readFileSync(stackFacts().tls.certFile)
const bearer = () => `Authorization: Bearer ${app.tenant.key}`
const isServing = async () => (await app.call('GET', '/v2/agents')).status === 200
const countRuns = async () => (await app.query('select from runs where org_id = $1', [app.tenant.org])).length
const body = () => JSON.stringify({ agent_id: app.tenant.agents['test-echo'], input: { query: 'x' } })

type Sent = { status: number; headers: Record<string, unknown>; text: string }

const send = async (
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  payload?: string | Buffer,
): Promise<Sent> => {
  const answer = await request(app.url + path, {
    method: method as 'GET',
    dispatcher: client,
    headers: { authorization: `Bearer ${app.tenant.key}`, ...headers },
    ...(payload === undefined ? {} : { body: payload }),
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

const codeOf = (text: string): string => ErrorBody.strict().parse(JSON.parse(text)).error.code

describe('an invalid credential', () => {
  const key = () => app.tenant.key
  test.each<[string, () => Record<string, string | string[]>]>([
    ['Bearer without a key', () => ({ authorization: 'Bearer ' })],
    ['Bearer alone', () => ({ authorization: 'Bearer' })],
    ['Basic', () => ({ authorization: `Basic ${Buffer.from(`${key()}:`).toString('base64')}` })],
    ['the key without Bearer', () => ({ authorization: key() })],
    ['two headers of the same key', () => ({ authorization: [`Bearer ${key()}`, `Bearer ${key()}`] })],
    ['two headers, the first of them right', () => ({ authorization: [`Bearer ${key()}`, 'Bearer x'] })],
    ['two headers, the second of them right', () => ({ authorization: ['Bearer x', `Bearer ${key()}`] })],
    ['a key of 10 KB', () => ({ authorization: `Bearer ars_live_${'0'.repeat(10_000)}` })],
    ['a wrong letter', () => ({ authorization: `Bearer ${key().slice(0, -1)}${key().endsWith('a') ? 'b' : 'a'}` })],
    ['something behind the key', () => ({ authorization: `Bearer ${key()},x` })],
    ['the key as a cookie', () => ({ cookie: `__Host-ars_session=${key()}` })],
    ['two session cookies', () => ({ cookie: '__Host-ars_session=a; __Host-ars_session=b' })],
    ['an empty session cookie', () => ({ cookie: '__Host-ars_session=' })],
  ])('[S3][S52] %s is 401, with one body for all', async (_what, headers) => {
    const answer = await request(`${app.url}/v2/agents`, { dispatcher: client, headers: headers() })
    const { error } = ErrorBody.strict().parse(await answer.body.json())
    expect([answer.statusCode, error.code, error.message]).toEqual([
      401,
      'unauthorized',
      'The API key is missing or invalid',
    ])
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test.each<[string, () => Record<string, string>]>([
    ['nothing', () => ({})],
    ['a key under another name', () => ({ 'x-api-key': key() })],
  ])('[S3][S52] %s is 401, and the body says how to send a credential', async (_what, headers) => {
    const answer = await request(`${app.url}/v2/agents`, { dispatcher: client, headers: headers() })
    const { error } = ErrorBody.strict().parse(await answer.body.json())
    expect([answer.statusCode, error.code, error.message]).toEqual([
      401,
      'unauthorized',
      'No credential was sent. Use Authorization: Bearer <API key>.',
    ])
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test.each(['\0', '\r', '\n'])('a key with %j in it is refused and the connection is closed', async (character) => {
    const text = await sendRaw(app.port, `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${bearer()}${character}x\r\n\r\n`)
    expect(readRefusal(text).status).toBe(400)
  })

  test('a key in the query or in the body is 401, and no log line contains it', async () => {
    const lines = app.logLines.length
    const answers = [
      await app.call('GET', `/v2/agents?api_key=${key()}`, { key: null }),
      await app.call('GET', `/v2/agents?authorization=Bearer%20${key()}`, { key: null }),
      await app.call('POST', '/v2/runs', { key: null, body: { authorization: key(), api_key: key() } }),
      await app.call('GET', `/v2/${key()}`, { key: null }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 404])
    const written = app.logLines.slice(lines).join('')
    expect(written).toContain('"status":401')
    // Not even a redacted form: neither path nor query is logged.
    expect(written).not.toMatch(/ars_live_|api_key|\?/)
  })
})

describe('methods and paths', () => {
  test.each<[string, string, number]>([
    ['TRACE', '/v2/agents', 405],
    ['PUT', '/v2/runs', 405],
    ['HEAD', '/v2/session-tokens', 405],
    ['OPTIONS', '/v2/runs', 405],
    ['PROPFIND', '/v2/runs', 405],
    ['PURGE', '/v2/nothing', 404],
    ['OPTIONS', '/v2/nothing', 404],
    ['OPTIONS', '*', 404],
    ['POST', '/v2/nothing', 404],
    ['GET', '/v2/../admin', 404],
    ['GET', '/v2/%2e%2e/admin', 404],
    ['GET', '/v2/..%2fadmin', 404],
    ['GET', '/v2/runs/../agents', 404],
    ['GET', '//v2/runs', 404],
    ['GET', '/v2//runs', 404],
    ['GET', '/runs', 404],
    ['GET', '/V2/runs', 404],
    ['GET', '/v2/runs/', 404],
    ['GET', '/v2/runs;a=b', 404],
    ['GET', '/v2/runs/%00', 404],
    ['GET', '/v2/runs/%', 400],
    ['GET', '/v2/runs/%ff', 400],
    ['GET', `/v2/agents?q=${'x'.repeat(limits.urlBytes)}`, 414],
    ['GET', `/v2/agents?q=${'x'.repeat(65_536)}`, 414],
    ['GET', `/v2/${'a/'.repeat(30_000)}`, 414],
  ])('%s %s is %i', async (method, path, status) => {
    const text = await sendRaw(
      app.port,
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer()}\r\n\r\n`,
    )
    if (method === 'HEAD') expect(text).toMatch(/^HTTP\/1\.1 405 /)
    else expect(readRefusal(text).status).toBe(status)
    expect(text.toLowerCase()).not.toMatch(/access-control-allow-origin|\r\nlocation:|\r\nserver:/)
  })

  test.each(['get', 'FOO', 'GET\0', 'G ET', ''])(
    'the method %j is refused and the connection is closed',
    async (method) => {
      const { status, code } = readRefusal(await sendRaw(app.port, `${method} /v2/agents HTTP/1.1\r\nHost: x\r\n\r\n`))
      expect([status, code]).toEqual([400, 'invalid_request'])
    },
  )

  test('CONNECT is closed without a response', async () => {
    expect(await sendRaw(app.port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
    expect(await isServing()).toBe(true)
  })

  test('a protocol upgrade is not accepted', async () => {
    const offer =
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'
    const text = await sendRaw(app.port, `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n${offer}\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a request with two Host headers is 400, and the connection is closed', async () => {
    const { status, code, head } = readRefusal(
      await sendRaw(app.port, `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nhost: y\r\n\r\n`),
    )
    expect([status, code]).toEqual([400, 'invalid_request'])
    expect(head).toContain('connection: close')
  })

  test('a request without a Host header is 400', async () => {
    const { status, code } = readRefusal(
      await sendRaw(app.port, 'GET /v2/agents HTTP/1.1\r\nConnection: close\r\n\r\n'),
    )
    expect([status, code]).toEqual([400, 'invalid_request'])
  })

  // T20: the contract is the inventory of routes, and no operator route is reachable at the edge.
  test.each(
    [
      '/',
      '/metrics',
      '/v2/metrics',
      '/debug',
      '/debug/pprof',
      '/admin',
      '/v2/admin',
      '/restate',
      '/discover',
      '/invoke/Run/segment',
      '/.env',
      '/.git/config',
      '/health',
      '/status',
      '/docs',
      '/docs/errors/..%2f..%2fpackage.json',
      '/v1/runs',
      '/v2/internal',
      '/favicon.ico',
    ].map((path) => [path]),
  )('%s does not exist', async (path) => {
    const answer = await app.call('GET', path)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
  })

  test('headers that override method, path, host or client have no effect', async () => {
    const spoofed = {
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-method-override': 'DELETE',
      'x-original-url': '/v2/runs',
      'x-rewrite-url': '/v2/runs',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;proto=http',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-prefix': '/evil',
    }
    const runsBefore = await countRuns()
    const answer = await app.call('GET', '/v2/agents', { headers: spoofed })
    expect(answer.status).toBe(200)
    expect(answer.body.data.length).toBeGreaterThan(0)
    const line = app.logLines.find((written) => written.includes(String(answer.headers['x-request-id'])))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ operation: 'agents.list', address: '127.0.0.1' })
    const refused = await app.call('GET', '/v2/nothing', { headers: spoofed })
    expect(refused.text).not.toContain('evil')
    const overridden = await app.call('POST', '/v2/runs', { headers: spoofed, body: {} })
    expect([overridden.status, await countRuns()]).toEqual([400, runsBefore])
  })
})

describe('headers', () => {
  const headers = (count: number) => Array.from({ length: count }, (_, at) => `X-H${at}: ${at}\r\n`).join('')
  const get = (rest: string) => `GET /v2/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer()}\r\n${rest}\r\n`

  test.each<[string, () => string, number]>([
    ['101 of them', () => get(headers(98)), 431],
    [
      '3,000 of them',
      () => get(Array.from({ length: 15 * serverBounds.rawHeaders.count }, () => 'a:b\r\n').join('')),
      431,
    ],
    ['one of 64 KB', () => get(`X-Long: ${'x'.repeat(65_536)}\r\n`), 431],
    [
      '16 KB together',
      () => get(Array.from({ length: 40 }, (_, at) => `X-${at}: ${'x'.repeat(400)}\r\n`).join('')),
      431,
    ],
    ['a name of 64 KB', () => get(`${'X'.repeat(65_536)}: x\r\n`), 431],
    ['a space before the colon', () => get('X-A : b\r\n'), 400],
    ['a bare carriage return', () => get('X-A: a\rb\r\n'), 400],
    ['a bare line feed', () => get('X-A: a\nX-B: b\r\n'), 400],
    ['a folded line', () => get('X-A: a\r\n b\r\n'), 400],
    ['no name', () => get(': b\r\n'), 400],
    ['no colon', () => get('X-A\r\n'), 400],
    ['a name with a bracket', () => get('X(A): b\r\n'), 400],
    ['NUL', () => get('X-A: \0\r\n'), 400],
  ])('%s is refused and the connection is closed', async (_what, bytes, status) => {
    expect(readRefusal(await sendRaw(app.port, bytes())).status).toBe(status)
  })

  test('100 headers with nearly 16 KB in total are served (limits.headerCount)', async () => {
    expect(await sendRaw(app.port, get(headers(97)))).toMatch(/^HTTP\/1\.1 200 /)
    const large = Array.from({ length: 38 }, (_, at) => `X-${at}: ${'x'.repeat(400)}\r\n`).join('')
    expect(await sendRaw(app.port, get(large))).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('the end of a request', () => {
  const second = () => `GET /v2/smuggled HTTP/1.1\r\nHost: x\r\n${bearer()}\r\n\r\n`
  const post = (headers: string, payload: string) =>
    `POST /v2/runs HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${payload}`

  test.each<[string, () => string]>([
    ['a length and chunks', () => post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${second()}`)],
    ['chunks and a length', () => post('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${second()}`)],
    ['two lengths', () => post('Content-Length: 2\r\nContent-Length: 3', `{}${second()}`)],
    ['the same length twice', () => post('Content-Length: 2\r\nContent-Length: 2', `{}${second()}`)],
    ['a list of lengths', () => post('Content-Length: 2, 2', `{}${second()}`)],
    ['a length with a sign', () => post('Content-Length: +2', `{}${second()}`)],
    ['a negative length', () => post('Content-Length: -2', `{}${second()}`)],
    ['a length in hexadecimal', () => post('Content-Length: 0x2', `{}${second()}`)],
    ['a length beyond all bounds', () => post('Content-Length: 99999999999999999999', `{}${second()}`)],
    ['chunked, identity', () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${second()}`)],
    ['identity, chunked under a misspelt name', () => post('Transfer-Encoding: xchunked', `0\r\n\r\n${second()}`)],
    ['chunked after a tab', () => post('Transfer-Encoding:\tchunked\r\nContent-Length: 4', `0\r\n\r\n${second()}`)],
    ['a vertical tab before chunked', () => post('Transfer-Encoding: \x0bchunked', `0\r\n\r\n${second()}`)],
    ['a huge chunk extension', () => post('Transfer-Encoding: chunked', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    ['a chunk of no number', () => post('Transfer-Encoding: chunked', `zz\r\n{}\r\n0\r\n\r\n${second()}`)],
    [
      'a chunk that is longer than it says',
      () => post('Transfer-Encoding: chunked', `1\r\n{}\r\n0\r\n\r\n${second()}`),
    ],
    ['a chunk ended by a bare line feed', () => post('Transfer-Encoding: chunked', `2\n{}\n0\n\n${second()}`)],
    ['lines ended by bare line feeds', () => `GET /v2/agents HTTP/1.1\nHost: x\n\n${second()}`],
    ['another version', () => `GET /v2/agents HTTP/3.0\r\nHost: x\r\n\r\n${second()}`],
    ['the beginning of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s: 400 and closed, and the following bytes are ignored', async (_what, bytes) => {
    const lines = app.logLines.length
    const text = await sendRaw(app.port, bytes())
    if (text !== '') expect(readRefusal(text)).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(text).not.toContain('smuggled')
    const answered = app.logLines.slice(lines).filter((line) => line.includes('"status":404'))
    expect(answered).toEqual([])
    expect(await isServing()).toBe(true)
  })

  test('two pipelined requests are two requests', async () => {
    const text = await sendRaw(app.port, `${second()}GET /v2/other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(text).toContain('No route matches GET /v2/smuggled.')
    expect(text).toContain('No route matches GET /v2/other.')
  })
})

describe('bodies', () => {
  const bomb = () => gzipSync(Buffer.alloc(100 * 1_048_576), { level: 9 })
  test.each<[string, Record<string, string>, () => string | Buffer]>([
    ['a bomb in gzip', { 'content-encoding': 'gzip' }, bomb],
    ['gzip in gzip', { 'content-encoding': 'gzip, gzip' }, () => gzipSync(gzipSync(body()))],
    ['br', { 'content-encoding': 'br' }, body],
    ['a coding that does not exist', { 'content-encoding': 'x' }, body],
    ['no type', { 'content-type': '' }, body],
    ['text', { 'content-type': 'text/plain' }, body],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, () => 'agent_id=x'],
    ['parts', { 'content-type': 'multipart/form-data; boundary=x' }, () => '--x--'],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }, body],
    ['JSON by another name', { 'content-type': 'application/jsonx' }, body],
    ['JSON with another suffix', { 'content-type': 'application/problem+json' }, body],
    ['no type at all', { 'content-type': 'x' }, body],
  ])('%s is 415', async (_what, headers, payload) => {
    const runsBefore = await countRuns()
    const answer = await send('POST', '/v2/runs', { 'content-type': 'application/json', ...headers }, payload())
    expect([answer.status, codeOf(answer.text)]).toEqual([415, 'unsupported_media_type'])
    expect(await countRuns()).toBe(runsBefore)
  })

  test.each<[string, string, number]>([
    ['/v2/agents', 'text/html', 406],
    ['/v2/agents', 'application/xml', 406],
    ['/v2/agents', 'application/json;q=0', 406],
    ['/v2/agents', '*/*, application/json;q=0', 406],
    ['/v2/agents', 'text/event-stream', 406],
    ['/v2/agents', 'text/html, application/json;q=0.5', 200],
    ['/v2/agents', 'application/*', 200],
    ['/v2/agents', '*/*;q=0.1', 200],
    ['/v2/agents', '', 200],
  ])('GET %s with Accept: %j is %i', async (path, accept, status) => {
    const answer = await send('GET', path, { accept })
    expect(answer.status).toBe(status)
    if (status === 406) expect(codeOf(answer.text)).toBe('not_acceptable')
  })

  test('a refused Accept creates nothing', async () => {
    const runsBefore = await countRuns()
    const headers = { accept: 'text/html', 'content-type': 'application/json' }
    const answer = await send('POST', '/v2/runs', headers, body())
    expect([answer.status, await countRuns()]).toEqual([406, runsBefore])
  })
})

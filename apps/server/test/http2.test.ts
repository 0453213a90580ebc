import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { ErrorBody, limits } from '@ars/contract'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway } from './app.ts'

/* Specific to HTTP/2: one connection carries many requests, and opening one costs a client nothing. */

let app: App
beforeAll(async () => {
  app = await sharedGateway({ ARS_HEADERS_TIMEOUT_MS: '400', ARS_REQUEST_TIMEOUT_MS: '800' })
})
afterAll(() => app.stop())

const isServing = async () => (await app.call('GET', '/v2/agents')).status === 200
const countRuns = async () => (await app.query('select from runs where org_id = $1', [app.tenant.org])).length
const codeOf = (text: string): string => ErrorBody.strict().parse(JSON.parse(text)).error.code

describe('HTTP/2', () => {
  const connect = () => {
    const session = http2.connect(app.url, { ca: readFileSync(stackFacts().tls.certFile) })
    session.on('error', () => undefined)
    return session
  }
  const ask = (session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders, payload?: string) =>
    new Promise<{ status: number; text: string }>((resolve) => {
      const stream = session.request(
        { ':path': '/v2/agents', authorization: `Bearer ${app.tenant.key}`, ...headers },
        { endStream: payload === undefined },
      )
      let status = 0
      let text = ''
      stream.on('response', (answer) => {
        status = Number(answer[':status'])
      })
      stream.setEncoding('utf8')
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('error', () => undefined)
      stream.on('close', () => resolve({ status, text }))
      if (payload !== undefined) stream.write(payload)
    })

  test.each<[string, http2.OutgoingHttpHeaders, number]>([
    ['a method that nobody knows', { ':method': 'FOO' }, 405],
    ['a method in small letters', { ':method': 'get' }, 405],
    ['TRACE', { ':method': 'TRACE' }, 405],
    ['an address that is too long', { ':path': `/v2/agents?q=${'x'.repeat(limits.urlBytes)}` }, 414],
    ['101 headers', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, 'x'])), 431],
    ['another key', { authorization: 'Bearer x' }, 401],
    ['an Accept without JSON', { accept: 'text/html' }, 406],
  ])('%s is refused with a message', async (_what, headers, status) => {
    const session = connect()
    const answer = await ask(session, headers)
    session.close()
    expect(answer.status).toBe(status)
    expect(codeOf(answer.text).length).toBeGreaterThan(0)
  })

  test('headers beyond 16 KB are refused, and other requests on the same connection are served (limits.headerBytes)', async () => {
    const session = connect()
    const refused = await ask(session, { 'x-long': 'x'.repeat(40_000) })
    expect(refused.status === 0 || refused.status === 431).toBe(true)
    session.close()
    expect(await isServing()).toBe(true)
  })

  test('a body that arrives too slowly is 408', async () => {
    const runsBefore = await countRuns()
    const session = connect()
    const json = { ':method': 'POST', ':path': '/v2/runs', 'content-type': 'application/json' }
    const answer = await ask(session, json, '{')
    session.close()
    expect([answer.status, codeOf(answer.text)]).toEqual([408, 'request_timeout'])
    expect(await countRuns()).toBe(runsBefore)
  })

  test('an idle connection is closed', async () => {
    const session = connect()
    await new Promise((resolve) => session.on('close', resolve))
    expect(session.closed).toBe(true)
  })

  test('a rapid reset of streams closes the connection and affects no other (serverBounds.streamResets, serverBounds.streamResetsOfSecond)', async () => {
    const session = connect()
    await new Promise((resolve) => session.once('connect', resolve))
    let opened = 0
    const isOver = () => session.closed || session.destroyed
    const ready = () => new Promise((resolve) => setImmediate(resolve))
    while (!isOver() && opened < 20_000) {
      const streams = Array.from({ length: 50 }, () =>
        session.request({ ':path': '/v2/agents', authorization: `Bearer ${app.tenant.key}` }),
      )
      opened += streams.length
      for (const stream of streams) stream.on('error', () => undefined)
      // They must be sent before they are reset, or they are never sent.
      await ready()
      for (const stream of streams) stream.close(http2.constants.NGHTTP2_CANCEL)
      await ready()
    }
    expect(isOver()).toBe(true)
    expect(opened).toBeLessThan(20_000)
    expect(await isServing()).toBe(true)
  })

  test('streams beyond the limit of concurrent streams wait and are served (serverBounds.streamsOfConnection)', async () => {
    const session = connect()
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask(session, {})))
    session.close()
    expect(session.remoteSettings.maxConcurrentStreams).toBe(200)
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  })
})

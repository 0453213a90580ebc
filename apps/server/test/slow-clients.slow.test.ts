import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { openRaw, readRefusal, sendRaw } from './raw-socket.ts'

/*
 * Clients that hold shared resources: silent connections, and requests that never end. The timeouts are short here; the
 * configuration has the defaults.
 */

let app: App
beforeAll(async () => {
  app = await startApp({ env: { ARS_HEADERS_TIMEOUT_MS: '400', ARS_REQUEST_TIMEOUT_MS: '800' } })
})
afterAll(() => app.stop())

const bearer = () => `Authorization: Bearer ${app.tenant.key}`
const countRuns = async () => Number((await app.query<{ n: string }>('select count(*) as n from runs'))[0]?.n)
const body = () => JSON.stringify({ agent_id: app.tenant.agents['test-echo'], input: { query: 'x' } })

describe('slow clients', () => {
  test('a client that sends nothing, or headers too slowly, gets an error and is closed', async () => {
    const silent = await openRaw(app.port)
    const slow = await openRaw(app.port)
    slow.write('GET /v2/agents HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const drip = setInterval(() => slow.write('x'), 20)
    const answers = await Promise.all([silent.closed(), slow.closed()])
    clearInterval(drip)
    for (const answer of answers) {
      expect(readRefusal(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
    }
  })

  test('a client that sends nothing without TLS is closed', async () => {
    const idle = await openRaw(app.port, { plain: true })
    expect(await idle.closed()).toBe('')
  })

  test('a thousand silent clients are closed, and others are served meanwhile', async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(app.port, { plain: true })))
    expect((await app.call('GET', '/v2/agents')).status).toBe(200)
    expect(await Promise.all(idle.map((raw) => raw.closed()))).toEqual(idle.map(() => ''))
  })

  test('a client that stops in the middle of the handshake is closed', async () => {
    const half = await openRaw(app.port, { plain: true })
    half.write('\x16\x03\x01\x02\x00\x01')
    expect(await half.closed()).toBe('')
  })

  test('a client that sends its body too slowly gets an error and is closed, and nothing is created', async () => {
    const runsBefore = await countRuns()
    const slow = await openRaw(app.port)
    slow.write(
      `POST /v2/runs HTTP/1.1\r\nHost: x\r\n${bearer()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    )
    const drip = setInterval(() => slow.write(' '), 20)
    const answer = await slow.closed()
    clearInterval(drip)
    expect(readRefusal(answer)).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(await countRuns()).toBe(runsBefore)
  })

  test('a refused client that continues to send is closed eventually', async () => {
    const slow = await openRaw(app.port)
    slow.write('POST /v2/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{')
    const drip = setInterval(() => slow.write(' '), 20)
    const answer = await slow.closed()
    clearInterval(drip)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('a client that never follows its Expect: 100-continue is closed; a refused one gets no 100', async () => {
    const head = `POST /v2/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body().length}\r\n`
    const waiting = await openRaw(app.port)
    waiting.write(`${head}${bearer()}\r\n\r\n`)
    const answer = await waiting.closed()
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 408 /)
    const refused = await sendRaw(app.port, `${head}\r\n`)
    expect(readRefusal(refused).status).toBe(401)
    const following = await openRaw(app.port)
    following.write(`${head}${bearer()}\r\nConnection: close\r\n\r\n`)
    await until('the word to go on', async () => following.text().includes('100 Continue'))
    following.write(body())
    expect(await following.closed()).toContain('HTTP/1.1 200 OK')
  })

  test('a slow response does not count as a slow client', async () => {
    const slowAgent = app.tenant.agents['test-slow']
    const answer = await app.call('POST', '/v2/runs', { body: { agent_id: slowAgent, input: { delay_ms: 1_500 } } })
    expect(answer.status).toBe(200)
    expect(answer.body.latency_ms).toBeGreaterThan(1_000)
  })
})

import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { bounds, heldBytes as heldAt, makeBigRun, metric as metricAt, mib } from './bytes-held.ts'
import { openRaw, type RawSocket, readRefusal } from './raw-socket.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ env: bounds })
})
afterAll(() => app.stop())

const heldBytes = (budget: 'requests' | 'responses', url = app.metricsUrl) => heldAt(budget, url)
const metric = (line: RegExp, url = app.metricsUrl) => metricAt(line, url)

describe('request bodies in flight', () => {
  test('a body counts with its declared length, and with its values once it is parsed', async () => {
    const raw = await openRaw(app.port)
    raw.write(
      `POST /v2/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
    )
    await until('the body to be held', async () => (await heldBytes('requests')) === 5_000)
    raw.socket.destroy()
    await until('the bytes to be free again', async () => (await heldBytes('requests')) === 0)
    // 100,000 empty lists are 200 kB of text and several megabytes of memory. A caller with nothing in flight may send them.
    const input = { lists: Array.from({ length: 100_000 }, () => []) }
    const slow = app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-slow'], input: { ...input, delay_ms: 1_500 } },
    })
    await until('the values to be held', async () => (await heldBytes('requests')) > 4_000_000)
    const refused = await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input } })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect((await slow).status).toBe(200)
    expect(await heldBytes('requests')).toBe(0)
  })
})

describe('responses that nobody reads', () => {
  let bigRun: string
  beforeAll(async () => {
    bigRun = await makeBigRun(app)
  })

  /** A connection that asks for the large run and reads nothing. The kernel takes megabytes, so it asks many times. */
  const askAndStop = async (port: number): Promise<RawSocket> => {
    const raw = await openRaw(port)
    raw.socket.pause()
    const ask = `GET /v2/runs/${bigRun} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\n\r\n`
    raw.write(ask.repeat(10))
    return raw
  }
  test('a client that does not read is disconnected, over both protocols; a slow reader above the minimum is not', async () => {
    const hasty = await app.join('gateway', {
      ARS_RESPONSE_BYTES_MAX: String(1_024 * mib),
      ARS_TRANSFER_GRACE_MS: '500',
      ARS_TRANSFER_BYTES_PER_SECOND: '100000',
    })
    const port = Number(new URL(hasty.url).port)
    const session = http2.connect(hasty.url, {
      ca: readFileSync(stackFacts().tls.certFile),
      settings: { initialWindowSize: 0 },
    })
    session.on('error', () => undefined)
    const stream = session.request({ ':path': `/v2/runs/${bigRun}`, authorization: `Bearer ${app.tenant.key}` })
    stream.on('error', () => undefined).resume()
    const closed = new Promise((resolve) => stream.once('close', resolve))
    const raw = await askAndStop(port)
    await closed
    session.destroy()
    await until('both to be counted', () =>
      metric(/^ars_transfers_too_slow_total\{budget="responses"\} 2$/m, hasty.metricsUrl),
    )
    await until('the bytes to be free again', async () => (await heldBytes('responses', hasty.metricsUrl)) === 0)
    raw.socket.resume()
    await raw.closed()

    const reader = await openRaw(port)
    reader.write(
      `GET /v2/runs/${bigRun} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\nConnection: close\r\n\r\n`,
    )
    reader.socket.on('data', () => {
      reader.socket.pause()
      setTimeout(() => reader.socket.resume(), 5)
    })
    expect((await reader.closed()).length).toBeGreaterThan(1_800_000)
    await hasty.stop()
  })

  test('a body that stops is 408 before the timeout of the request', async () => {
    const hasty = await app.join('gateway', { ARS_TRANSFER_GRACE_MS: '400' })
    const raw = await openRaw(Number(new URL(hasty.url).port))
    raw.write(
      `POST /v2/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    )
    expect(readRefusal(await raw.closed())).toMatchObject({ status: 408, code: 'request_timeout' })
    expect(await metric(/^ars_transfers_too_slow_total\{budget="requests"\} 1$/m, hasty.metricsUrl)).toBe(true)
    await hasty.stop()
  })
})

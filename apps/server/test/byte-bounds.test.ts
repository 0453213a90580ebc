import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { stackFacts } from '@ars/testkit/stack'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, type Tenant, until } from './app.ts'
import { openRaw, type RawSocket, readRefusal } from './raw-socket.ts'

/* Bytes in memory: request bodies in flight, and responses that clients do not read. The bounds are small here. */

const mib = 1_048_576
// An organisation gets a quarter: 2 MiB of bodies, 2 MiB of responses.
const bounds = { ARS_REQUEST_BYTES_MAX: String(8 * mib), ARS_RESPONSE_BYTES_MAX: String(8 * mib) }

let app: App
let other: Tenant
beforeAll(async () => {
  app = await startApp({ env: bounds })
  other = await app.addTenant({ plan: 'business' })
})
afterAll(() => app.stop())

const heldBytes = async (budget: string, url = app.metricsUrl): Promise<number> => {
  const text = await (await request(`${url}/metrics`)).body.text()
  return Number(new RegExp(`^ars_bytes_held\\{budget="${budget}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}
const metric = async (line: RegExp, url = app.metricsUrl): Promise<boolean> =>
  line.test(await (await request(`${url}/metrics`)).body.text())

const connect = (url = app.url) => {
  const session = http2.connect(url, { ca: readFileSync(stackFacts().tls.certFile) })
  session.on('error', () => undefined)
  return session
}

/** A body that begins and does not end. Resolves with the status of a refusal. */
const beginBody = (session: http2.ClientHttp2Session, key: string, bytes: number) => {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v2/runs',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  })
  const answer = { status: 0, retryAfter: '', text: '' }
  stream.on('response', (headers) => {
    answer.status = Number(headers[':status'])
    answer.retryAfter = String(headers['retry-after'])
  })
  stream.setEncoding('utf8').on('data', (text) => {
    answer.text += text
  })
  stream.on('error', () => undefined)
  stream.write(Buffer.alloc(bytes, 0x20))
  return { stream, answer }
}

const callAs = (tenant: Tenant, url?: string) =>
  app.call('POST', '/v2/runs', {
    key: tenant.key,
    body: { agent_id: tenant.agents['test-echo'], input: { query: 'x' } },
    ...(url ? { url } : {}),
  })

describe('request bodies in flight', () => {
  test('over the share of an organisation, its further bodies are 429, and other organisations are served', async () => {
    const session = connect()
    try {
      const held = Array.from({ length: 2 }, () => beginBody(session, app.tenant.key, 1_000))
      await until('two bodies to be held', async () => (await heldBytes('requests')) === 2 * mib)
      const { answer } = beginBody(session, app.tenant.key, 1_000)
      await until('a refusal', async () => answer.text.endsWith('}'))
      expect(answer).toMatchObject({ status: 429, retryAfter: '1' })
      expect(JSON.parse(answer.text).error).toMatchObject({ code: 'rate_limited' })
      expect((await callAs(other)).status).toBe(200)
      for (const { stream } of held) stream.close()
      await until('the bytes to be free again', async () => (await heldBytes('requests')) === 0)
      expect((await callAs(app.tenant)).status).toBe(200)
      expect(await metric(/^ars_bytes_refused_total\{budget="requests",reason="organisation"\} 1$/m)).toBe(true)
    } finally {
      session.destroy()
    }
  })

  test('a client that sends a long refused body reads the refusal, and the rest of the body is not read', async () => {
    const session = connect()
    const raw = await openRaw(Number(new URL(app.url).port))
    try {
      for (let at = 0; at < 2; at++) beginBody(session, app.tenant.key, 1_000)
      await until('two bodies to be held', async () => (await heldBytes('requests')) === 2 * mib)
      const head = `POST /v2/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\nContent-Type: application/json`
      raw.write(`${head}\r\nContent-Length: ${mib}\r\n\r\n${' '.repeat(mib - 1)}`)
      const { status, code, head: headers } = readRefusal(await raw.closed())
      expect([status, code]).toEqual([429, 'rate_limited'])
      expect(headers).toContain('connection: close')
    } finally {
      session.destroy()
      raw.socket.destroy()
    }
    await until('the bytes to be free again', async () => (await heldBytes('requests')) === 0)
  })

  test('over the budget of the gateway, large bodies of everybody are 503 with Retry-After', async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => app.addTenant()))
    const session = connect()
    try {
      for (const { key } of tenants) for (let at = 0; at < 2; at++) beginBody(session, key, 10)
      await until('eight bodies to be held', async () => (await heldBytes('requests')) === 8 * mib)
      const { answer } = beginBody(session, other.key, 10)
      await until('a refusal', async () => answer.text.endsWith('}'))
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' })
      expect((await app.call('GET', '/v2/agents')).status).toBe(200)
    } finally {
      session.destroy()
    }
    await until('the bytes to be free again', async () => (await heldBytes('requests')) === 0)
  })

  test('large bodies of batches have a separate budget, so that other bodies have room', async () => {
    const first = await app.addTenant()
    const sockets: RawSocket[] = []
    const begin = async ({ key }: Tenant) => {
      const raw = await openRaw(app.port)
      sockets.push(raw)
      const head = `POST /v2/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`
      raw.write(`${head}\r\nContent-Length: ${2 * mib}\r\n\r\n{`)
      return raw
    }
    try {
      await begin(first)
      // It counts twice: its text, and what is made of it.
      await until('the body to be held', async () => (await heldBytes('requests')) === 4 * mib)
      for (const [tenant, expected] of [
        [other, 503],
        [first, 429],
      ] as const) {
        const { status } = readRefusal(await (await begin(tenant)).closed())
        expect(status).toBe(expected)
      }
      expect((await callAs(first)).status).toBe(200)
      expect((await callAs(other)).status).toBe(200)
    } finally {
      for (const { socket } of sockets) socket.destroy()
    }
    await until('the bytes to be free again', async () => (await heldBytes('requests')) === 0)
  })

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
    const run = await app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'y'.repeat(900_000) } },
    })
    bigRun = run.body.id
    expect(run.text.length).toBeGreaterThan(1_800_000)
  })

  /** A connection that asks for the large run and reads nothing. The kernel takes megabytes, so it asks many times. */
  const askAndStop = async (port: number): Promise<RawSocket> => {
    const raw = await openRaw(port)
    raw.socket.pause()
    const ask = `GET /v2/runs/${bigRun} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.tenant.key}\r\n\r\n`
    raw.write(ask.repeat(10))
    return raw
  }
  const stalled = async () => {
    const session = http2.connect(app.url, {
      ca: readFileSync(stackFacts().tls.certFile),
      settings: { initialWindowSize: 0 },
    })
    session.on('error', () => undefined)
    await new Promise((resolve) => session.once('remoteSettings', resolve))
    return session
  }

  test('over the share of an organisation, its reads are 429 before the database is asked; others are served', async () => {
    const session = await stalled()
    try {
      for (let at = 0; at < 2; at++) {
        session
          .request({ ':path': `/v2/runs/${bigRun}`, authorization: `Bearer ${app.tenant.key}` })
          .on('error', () => undefined)
      }
      await until('a response to be held', async () => (await heldBytes('responses')) > 1_700_000)
      const refused = await until('a refusal', async () => {
        const answer = await app.call('GET', `/v2/runs/${bigRun}`)
        return answer.status === 429 && answer
      })
      expect(refused.headers['retry-after']).toBe('1')
      expect(refused.body.error).toMatchObject({ code: 'rate_limited' })
      expect((await callAs(other)).status).toBe(200)
    } finally {
      session.destroy()
    }
    await until('the bytes to be free again', async () => (await heldBytes('responses')) === 0)
    expect((await app.call('GET', `/v2/runs/${bigRun}`)).status).toBe(200)
  })

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

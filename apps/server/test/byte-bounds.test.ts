import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import { stackFacts } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway, type Tenant, until } from './app.ts'
import { bounds, heldBytes as heldAt, makeBigRun, metric as metricAt, mib } from './bytes-held.ts'
import { openRaw, type RawSocket, readRefusal } from './raw-socket.ts'

/* Bytes in memory: request bodies in flight, and responses that clients do not read. The bounds are small here. */

let app: App
let other: Tenant
beforeAll(async () => {
  app = await sharedGateway(bounds)
  other = await app.addTenant({ plan: 'business' })
})
afterAll(() => app.stop())

const heldBytes = (budget: 'requests' | 'responses', url = app.metricsUrl) => heldAt(budget, url)
const metric = (line: RegExp, url = app.metricsUrl) => metricAt(line, url)

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
})

describe('responses that nobody reads', () => {
  let bigRun: string
  beforeAll(async () => {
    bigRun = await makeBigRun(app)
  })

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
})

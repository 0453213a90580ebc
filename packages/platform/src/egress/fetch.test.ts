import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgress, type Egress } from './egress.ts'
import { EgressFailed, EgressRefused, egressErrorOf } from './failure.ts'
import { makeCertificate } from './test/certificate.ts'
import { createPeers, type Peer } from './test/peers.ts'

const certificate = makeCertificate(['api.example.com'])
const peers = createPeers()
let egress: Egress
let peer: Peer
let url: string

beforeAll(async () => {
  peer = await peers.https(certificate, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/empty') return response.writeHead(204).end()
      if (request.url === '/odd') return response.writeHead(700).end()
      if (request.url === '/packed') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
      if (request.url === '/cookies')
        return response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-latin': 'caf\xe9' }).end()
      if (request.url === '/small') return response.end('small')
      if (request.url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        let count = 0
        const timer = setInterval(() => {
          response.write(`data: ${++count}\n\n`)
          if (count < 3) return
          clearInterval(timer)
          response.end()
        }, 20)
        return
      }
      const { method, headers } = request
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString('latin1') }))
    })
  })
  egress = createEgress({
    allowRanges: ['127.0.0.0/8'],
    allowPorts: [peer.port],
    extraCertificates: [certificate.cert],
    resolver: async () => ['127.0.0.1'],
  })
  url = `https://api.example.com:${peer.port}`
})

afterAll(async () => {
  egress.close()
  await peers.close()
})

describe('a fetch for libraries', () => {
  test.for<[string, NonNullable<RequestInit['body']>, string, string | undefined]>([
    ['a text', 'héllo', 'h\xc3\xa9llo', 'text/plain;charset=UTF-8'],
    ['bytes', new Uint8Array([1, 2, 255]), '\x01\x02\xff', undefined],
    ['a form', new URLSearchParams({ a: 'b c' }), 'a=b+c', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['a blob', new Blob(['{}'], { type: 'application/json' }), '{}', 'application/json'],
    ['a stream', new Blob(['streamed']).stream(), 'streamed', undefined],
  ])('sends %s', async ([, body, arrived, type]) => {
    const response = await egress.fetch(url, { method: 'POST', body, headers: { 'X-A': 'b' } })
    const echo = (await response.json()) as { method: string; headers: Record<string, string>; body: string }
    expect(echo).toMatchObject({ method: 'POST', body: arrived, headers: { 'x-a': 'b' } })
    expect([echo.headers['content-type'], echo.headers['content-length']]).toEqual([type, String(arrived.length)])
  })

  test('takes a URL and a Request too', async () => {
    expect((await egress.fetch(new URL(url))).ok).toBe(true)
    const request = new Request(url, { method: 'PUT', body: 'x', headers: { 'x-a': 'b' } })
    const response = await egress.fetch(request)
    expect(await response.json()).toMatchObject({ method: 'PUT', body: 'x', headers: { 'x-a': 'b' } })
    expect([response.url, response.redirected, response instanceof Response]).toEqual([`${url}/`, false, true])
  })

  test('streams the body', async () => {
    const response = await egress.fetch(`${url}/events`)
    const pieces: string[] = []
    for await (const chunk of response.body ?? []) pieces.push(Buffer.from(chunk).toString())
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n'])
  })

  test('supports responses without a body, several cookies and non-ASCII bytes', async () => {
    const empty = await egress.fetch(`${url}/empty`)
    expect([empty.status, empty.body]).toEqual([204, null])
    expect((await egress.fetch(url, { method: 'HEAD' })).body).toBeNull()
    const { headers } = await egress.fetch(`${url}/cookies`)
    expect([headers.getSetCookie(), headers.get('x-latin')]).toEqual([['a=1', 'b=2'], 'caf\xe9'])
  })

  test('frees the connection of a small unread response', async () => {
    await egress.fetch(`${url}/small`)
    await expect.poll(() => egress.connections().open - egress.connections().idle).toBe(0)
  })

  test('fails like fetch with a cause, and throws refusals unchanged', async () => {
    const failed = await egress.fetch(`${url}/odd`).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(TypeError)
    expect(failed).toMatchObject({ message: 'fetch failed', cause: expect.any(EgressFailed) })
    await expect(egress.fetch(`${url}/packed`)).rejects.toMatchObject({ cause: { kind: 'protocol' } })
    await expect(egress.fetch('https://169.254.169.254/')).rejects.toBeInstanceOf(EgressRefused)
    await expect(egress.fetch('https://evil.com\\@127.0.0.1/')).rejects.toBeInstanceOf(EgressRefused)
    await expect(egress.fetch(new URL('https://user:pw@example.com/'))).rejects.toBeInstanceOf(EgressRefused)
  })

  test('applies its limits', async () => {
    const tight = egress.fetchWith({ maxBodyBytes: 3 })
    await expect(tight(`${url}/small`).then((response) => response.text())).rejects.toMatchObject({ kind: 'too_large' })
    const late = await egress
      .fetchWith({ deadlineMs: 30 })(`${url}/events`)
      .then((response) => response.text())
      .catch((error: unknown) => error)
    expect(egressErrorOf(late)).toMatchObject({ kind: 'timeout' })
  })
})

import { createServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { createPeers } from '@ars/platform/egress/test/peers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

const dayMs = 86_400_000
const sound = makeCertificate(['127.0.0.1'])
const otherName = makeCertificate(['other.example.com'])
const expired = makeCertificate(['127.0.0.1'], {
  from: new Date(Date.now() - 9 * dayMs),
  to: new Date(Date.now() - dayMs),
})
const unknown = makeCertificate(['127.0.0.1'])
const peers = createPeers()
let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver([sound, otherName, expired])
  app = await startApp({ env: receiver.env })
})
afterAll(async () => {
  await app.stop()
  await peers.close()
  await receiver.close()
})

/** The outcome of the first attempt to an endpoint at this port. */
const attemptAt = async (port: number) => {
  const { key, agents } = await app.addTenant()
  const url = `https://127.0.0.1:${port}/hook`
  const { body: webhook } = await app.call('POST', '/v2/webhooks', { key, body: { url, events: ['*'] } })
  await app.call('POST', '/v2/runs', { key, body: { agent_id: agents['test-echo'], input: {} } })
  const delivery = await until('the first attempt', async () => {
    const { body } = await app.call('GET', `/v2/webhooks/${webhook.id}/deliveries?event_type=run.completed`, { key })
    const [newest] = body.data
    // While an attempt is in flight there is no time of a next one.
    const isSettled = newest && (newest.status !== 'pending' || newest.next_attempt_at !== null)
    return isSettled && newest.attempts.length > 0 && newest
  })
  return { ...delivery.attempts[0], status: delivery.status }
}

const answering = (bytes: (socket: TLSSocket) => void) =>
  peers.raw(sound, (socket) => {
    socket.once('data', () => bytes(socket as TLSSocket))
  })

test('a response of one gigabyte acknowledges the delivery, and only its first 16 KB are read', async () => {
  let written = 0
  const { port } = await answering((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n')
    const chunk = Buffer.alloc(65_536, 'x')
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk)) written += chunk.length
    }
    socket.on('drain', pour)
    pour()
  })
  const attempt = await attemptAt(port)
  expect(attempt).toMatchObject({ status: 'succeeded', http_status: 200, error: null })
  expect(attempt.response.body).toBe('x'.repeat(16_384))
  // Network buffers hold some megabytes, and not a gigabyte.
  expect(written).toBeLessThan(64 * 1_048_576)
})

test.each([
  ['ten thousand headers', `HTTP/1.1 200 OK\r\n${'x-header: value\r\n'.repeat(10_000)}\r\n`, /^too_large: /],
  [
    'three hundred small headers',
    `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(300)}content-length: 0\r\n\r\n`,
    /^too_large: /,
  ],
  ['no HTTP', 'Hello, is it me you are looking for?\r\n\r\n', /^protocol: /],
  ['HTTP/0.9', '<html>It works</html>', /^(protocol|reset): /],
  ['a length that is not a number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n', /^protocol: /],
  ['less than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', /^reset: /],
  ['nothing at all', '', /^reset: /],
])('a response with %s fails the attempt, with a message', async (_, bytes, error) => {
  const { port } = await answering((socket) => socket.end(bytes))
  const attempt = await attemptAt(port)
  expect(attempt.status).not.toBe('succeeded')
  expect(attempt.error).toMatch(error)
})

test('text that the database cannot store is stored without the invalid characters', async () => {
  const { port } = await answering((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-odd: caf\xe9\r\ncontent-length: 6\r\n\r\n', 'latin1')
    socket.end(Buffer.from([0x61, 0x00, 0xff, 0xf0, 0x9f, 0x62]))
  })
  expect(await attemptAt(port)).toMatchObject({
    status: 'succeeded',
    response: { headers: { 'x-odd': 'café' }, body: expect.stringMatching(/^a\ufffd+b$/) },
  })
})

test.each([
  ['a certificate that has expired', expired, {}, /^tls: .*expired/],
  ['a certificate for another name', otherName, {}, /^tls: .*another name/],
  ['a certificate of nobody known', unknown, {}, /^tls: .*known authority/],
  [
    'TLS 1.0',
    sound,
    { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const,
    /^(tls|connect): /,
  ],
])('an endpoint with %s receives nothing', async (_, certificate, options, error) => {
  let requests = 0
  const { port } = await peers.https(certificate, () => requests++, options)
  const attempt = await attemptAt(port)
  expect(attempt).toMatchObject({ http_status: null, response: null, error: expect.stringMatching(error) })
  expect(requests).toBe(0)
})

test('an endpoint without a listener, or one that closes the connection, fails the attempt, with a message', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  expect((await attemptAt(port)).error).toBe('connect: The server refused the connection')
  const rude = await peers.plain((socket) => socket.destroy())
  expect((await attemptAt(rude.port)).error).toMatch(/^connect: /)
})

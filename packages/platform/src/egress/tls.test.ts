import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate } from './test/certificate.ts'
import { at, certificate, closeAll, egressTo, failureOf, name, peers } from './test/receiver.ts'

afterAll(closeAll)

const answer = (socket: Socket): unknown => socket.once('data', () => socket.end('HTTP/1.1 204 No\r\n\r\n'))
const dayMs = 86_400_000

test.for([
  ['expired', { from: new Date(Date.now() - 2 * dayMs), to: new Date(Date.now() - dayMs) }, [name], /expired/],
  [
    'not valid yet',
    { from: new Date(Date.now() + dayMs), to: new Date(Date.now() + 2 * dayMs) },
    [name],
    /not valid yet/,
  ],
  ['for another name', {}, ['evil.example.com'], /another name/],
] as const)('a certificate that is %s is rejected, and nothing is sent', async ([, dates, names, says]) => {
  const bad = makeCertificate(names, dates)
  const peer = await peers.raw(bad, answer)
  const egress = egressTo([peer.port], { extraCertificates: [bad.cert] })
  const failure = await failureOf(egress.request({ url: at(peer) }))
  expect(failure).toMatchObject({ kind: 'tls', reached: false, message: expect.stringMatching(says) })
})

test('a certificate of an unknown authority is rejected, even if the environment disables the check', async () => {
  const peer = await peers.raw(certificate, answer)
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    const failure = await failureOf(egressTo([peer.port], { extraCertificates: [] }).request({ url: at(peer) }))
    expect(failure).toMatchObject({ kind: 'tls', message: expect.stringMatching(/known authority/) })
  } finally {
    Reflect.deleteProperty(process.env, 'NODE_TLS_REJECT_UNAUTHORIZED')
  }
})

test.for(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async (version) => {
  const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const peer = await peers.raw(certificate, answer, old)
  const failure = await failureOf(egressTo([peer.port]).request({ url: at(peer) }))
  expect(failure).toMatchObject({ kind: 'tls', reached: false })
})

test('nothing older than TLS 1.2 is offered', async () => {
  const hello = Promise.withResolvers<Buffer>()
  const peer = await peers.plain((socket) => socket.once('data', hello.resolve))
  await failureOf(egressTo([peer.port]).request({ url: at(peer), deadlineMs: 500 }))
  // The extension supported_versions (RFC 8446, 4.2.1): 1.3 and 1.2.
  const versions = Buffer.from([0x00, 0x2b, 0x00, 0x05, 0x04, 0x03, 0x04, 0x03, 0x03])
  expect((await hello.promise).includes(versions)).toBe(true)
})

test('a peer without TLS is rejected', async () => {
  const peer = await peers.plain((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  const failure = await failureOf(egressTo([peer.port]).request({ url: at(peer) }))
  expect(failure).toMatchObject({ kind: 'tls', reached: false, message: 'The server does not support TLS' })
})

test('only HTTP/1.1 is offered, with the name of the host', async () => {
  let seen: unknown
  const peer = await peers.raw(
    certificate,
    (socket) => {
      seen = [(socket as { alpnProtocol?: unknown }).alpnProtocol, (socket as { servername?: unknown }).servername]
      answer(socket)
    },
    { ALPNProtocols: ['h2', 'http/1.1'] },
  )
  await egressTo([peer.port]).request({ url: at(peer) })
  expect(seen).toEqual(['http/1.1', name])
})

test('an IP address is called if its certificate names it', async () => {
  const peer = await peers.raw(certificate, answer)
  expect((await egressTo([peer.port]).request({ url: `https://127.0.0.1:${peer.port}/` })).status).toBe(204)
})

import { createSecureContext } from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import { type Connection, ConnectionGone, openConnection } from './connection.ts'
import { EgressRefused } from './failure.ts'
import { makeCertificate } from './test/certificate.ts'
import { createPeers, type Peer } from './test/peers.ts'

const certificate = makeCertificate(['a.example.com', '127.0.0.1'])
const peers = createPeers()
const opened: Connection[] = []
const get = { method: 'GET', path: '/', headers: {}, body: null }

const connect = (origin: string, addresses: readonly string[]) => {
  let closed = 0
  const connection = openConnection({
    origin,
    addresses,
    secureContext: createSecureContext({ ca: certificate.cert }),
    connectTimeoutMs: 2000,
    idleMs: 2000,
    maxHeaderBytes: 16_384,
    onClose: () => {
      closed++
    },
  })
  opened.push(connection)
  return { connection, closed: () => closed }
}

const answering = (): Promise<Peer> =>
  peers.https(certificate, (_request, response) => {
    response.setHeader('connection', 'close')
    response.end('ok')
  })

afterAll(async () => {
  for (const connection of opened) connection.destroy(new Error('The test is over'))
  await peers.close()
})

test('a connection goes to the given address and reports it', async () => {
  const peer = await answering()
  const { connection } = connect(`https://a.example.com:${peer.port}`, ['127.0.0.1'])
  expect([connection.isOpen(), connection.remoteAddress()]).toEqual([false, undefined])
  const { body } = await connection.send(get)
  expect([await body.text(), connection.isOpen(), connection.remoteAddress()]).toEqual(['ok', true, '127.0.0.1'])
})

test('a closed connection is never reopened, so no request uses an address of an earlier look-up', async () => {
  const peer = await answering()
  const { connection, closed } = connect(`https://a.example.com:${peer.port}`, ['127.0.0.1'])
  await (await connection.send(get)).body.text()
  await expect.poll(closed).toBe(1)
  await expect(connection.send(get)).rejects.toBeInstanceOf(ConnectionGone)
  expect(peer.connections()).toBe(1)
})

test('a connection to an unchecked address is rejected before a byte is sent', async () => {
  let requests = 0
  const peer = await peers.https(certificate, (_request, response) => {
    requests++
    response.end()
  })
  // An IP address as the name needs no look-up, so the socket would connect without using the checked address.
  const { connection } = connect(`https://127.0.0.1:${peer.port}`, ['127.0.0.9'])
  await expect(connection.send(get)).rejects.toBeInstanceOf(EgressRefused)
  expect([requests, connection.isOpen()]).toEqual([0, false])
})

import { afterAll, expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { createEgress, type Egress, type EgressOptions } from './egress.ts'
import { makeCertificate } from './test/certificate.ts'
import { createPeers, type Peer } from './test/peers.ts'

const certificate = makeCertificate(['a.example.com', 'b.example.com'])
const peers = createPeers()
const opened: Egress[] = []

const egressTo = (ports: readonly number[], options: EgressOptions = {}): Egress => {
  const egress = createEgress({
    allowRanges: ['127.0.0.0/8'],
    allowPorts: ports,
    extraCertificates: [certificate.cert],
    resolver: async () => ['127.0.0.1'],
    ...options,
  })
  opened.push(egress)
  return egress
}

const at = ({ port }: Peer, name = 'a.example.com'): string => `https://${name}:${port}/`

afterAll(async () => {
  for (const egress of opened) egress.close()
  await peers.close()
})

/** A peer that holds every request until it is released. */
const holding = async () => {
  const held: (() => void)[] = []
  let most = 0
  const peer = await peers.https(certificate, (_request, response) => {
    held.push(() => response.end('ok'))
    most = Math.max(most, held.length)
  })
  const answerAll = (): void => {
    for (const answer of held.splice(0)) answer()
  }
  return { peer, held, answerAll, most: () => most }
}

test('a connection is reused for the next request', async () => {
  const peer = await peers.https(certificate, (_request, response) => response.end('ok'))
  const egress = egressTo([peer.port])
  for (let round = 0; round < 10; round++) await egress.request({ url: at(peer) })
  expect(peer.connections()).toBe(1)
  expect(egress.connections()).toEqual({ open: 1, idle: 1, waiting: 0, refused: 0 })
})

test('a connection of one name is not used for another name at the same address', async () => {
  const peer = await peers.https(certificate, (_request, response) => response.end('ok'))
  const egress = egressTo([peer.port])
  await egress.request({ url: at(peer, 'a.example.com') })
  await egress.request({ url: at(peer, 'b.example.com') })
  expect(peer.connections()).toBe(2)
})

test('a connection is closed when its name resolves to another address', async () => {
  const peer = await peers.https(certificate, (_request, response) => response.end('ok'))
  const addresses = [['127.0.0.1'], ['127.0.0.2']]
  const egress = egressTo([peer.port], {
    resolver: async () => addresses.shift() ?? [],
    limits: { connectTimeoutMs: 2000 },
  })
  await egress.request({ url: at(peer) })
  // The new address is closed: a response would mean that the old connection was used.
  await expect(egress.request({ url: at(peer) })).rejects.toMatchObject({ kind: 'connect' })
  await expect.poll(() => peer.openSockets()).toBe(0)
  expect(peer.connections()).toBe(1)
})

test('the next address is tried if the first does not respond', async () => {
  const peer = await peers.https(certificate, (_request, response) => response.end('ok'))
  const egress = egressTo([peer.port], { resolver: async () => ['127.0.0.9', '127.0.0.1'] })
  expect((await egress.request({ url: at(peer) })).remoteAddress).toBe('127.0.0.1')
})

test('an idle connection is closed after the idle timeout (platformBounds.egressConnectionIdle)', async () => {
  const peer = await peers.https(certificate, (_request, response) => response.end('ok'))
  const egress = egressTo([peer.port], { limits: { idleConnectionMs: 300 } })
  await egress.request({ url: at(peer) })
  await expect.poll(() => peer.openSockets(), { timeout: 10_000 }).toBe(0)
  expect(egress.connections().open).toBe(0)
})

test('a peer that closes after each response, or while idle, fails no request', async () => {
  const peer = await peers.https(certificate, (_request, response) => {
    response.setHeader('connection', 'close')
    response.end('ok')
  })
  const egress = egressTo([peer.port])
  for (let round = 0; round < 50; round++) expect((await egress.request({ url: at(peer) })).status).toBe(200)
  expect(peer.connections()).toBe(50)
})

test('connections per host are limited, and further requests wait (platformBounds.egressConnectionsPerHost)', async () => {
  const { peer, held, answerAll, most } = await holding()
  const egress = egressTo([peer.port], { limits: { maxConnectionsPerHost: 3 } })
  const calls = Array.from({ length: 12 }, () => egress.request({ url: at(peer) }))
  await expect.poll(() => held.length).toBe(3)
  expect(egress.connections()).toMatchObject({ open: 3, waiting: 9 })
  const pump = setInterval(answerAll, 5)
  const answers = await Promise.all(calls)
  clearInterval(pump)
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
  expect([most(), peer.connections()]).toEqual([3, 3])
})

test('connections in total are limited, and an idle connection is closed for a new one (platformBounds.egressConnections)', async () => {
  const { peer, held, answerAll } = await holding()
  const quick = await peers.https(certificate, (_request, response) => response.end('ok'))
  const egress = egressTo([peer.port, quick.port], { limits: { maxConnections: 2 } })
  await egress.request({ url: at(quick) })
  expect(egress.connections()).toMatchObject({ open: 1, idle: 1 })
  const calls = [egress.request({ url: at(peer, 'a.example.com') }), egress.request({ url: at(peer, 'b.example.com') })]
  await expect.poll(() => held.length).toBe(2)
  expect(egress.connections()).toEqual({ open: 2, idle: 0, waiting: 0, refused: 0 })
  const late = egress.request({ url: at(quick) })
  await expect.poll(() => egress.connections().waiting).toBe(1)
  answerAll()
  expect((await Promise.all([...calls, late])).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('a request waits for a connection for a limited time and is then removed, as a failure of ours (platformBounds.egressWaiting)', async () => {
  const { peer, held, answerAll } = await holding()
  const egress = egressTo([peer.port], { limits: { maxConnectionsPerHost: 1 } })
  const first = egress.request({ url: at(peer) })
  await expect.poll(() => held.length).toBe(1)
  await expect(egress.stream({ url: at(peer), deadlineMs: 30, maxWaitMs: 100 })).rejects.toMatchObject({
    kind: 'busy',
    reached: false,
  })
  expect(egress.connections()).toMatchObject({ waiting: 0, refused: 1 })
  const controller = new AbortController()
  const second = egress.request({ url: at(peer), signal: controller.signal })
  await expect.poll(() => egress.connections().waiting).toBe(1)
  controller.abort()
  await expect(second).rejects.toMatchObject({ name: 'AbortError' })
  expect(egress.connections().waiting).toBe(0)
  answerAll()
  expect((await first).status).toBe(200)
})

test('the bodies of waiting calls are bounded, in sum and for an organisation (platformBounds.egressWaitingBodies)', async () => {
  const { peer, held, answerAll } = await holding()
  const limits = { maxConnectionsPerHost: 1, maxWaitingBytes: 100, maxWaitingBytesOfOrganisation: 60 }
  const egress = egressTo([peer.port], { limits })
  const send = (org: string, bytes: number) =>
    egress.request({ org, url: at(peer), method: 'POST', body: 'x'.repeat(bytes) })
  const first = send('a', 1_000)
  await expect.poll(() => held.length).toBe(1)
  const waiting = [send('a', 40), send('a', 20), send('c', 40)]
  await expect.poll(() => egress.connections().waiting).toBe(3)
  await expect(send('a', 1)).rejects.toMatchObject({ kind: 'busy', reached: false })
  await expect(send('d', 1)).rejects.toMatchObject({ kind: 'busy', reached: false })
  expect(egress.connections()).toMatchObject({ waiting: 3, refused: 2 })
  const pump = setInterval(answerAll, 5)
  const answers = await Promise.all([first, ...waiting])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect((await send('d', 90)).status).toBe(200)
  clearInterval(pump)
  expect(platformBounds.egressWaitingBodiesOfOrganisation.bytes).toBeGreaterThanOrEqual(
    platformBounds.egressRequest.bytes,
  )
})

test('a broken response frees its slot', async () => {
  const peer = await peers.raw(certificate, (socket) => {
    socket.once('data', () => socket.destroy())
  })
  const egress = egressTo([peer.port], { limits: { maxConnectionsPerHost: 1 } })
  for (let round = 0; round < 5; round++) {
    await expect(egress.request({ url: at(peer) })).rejects.toMatchObject({ kind: 'reset', reached: true })
  }
  expect(egress.connections()).toEqual({ open: 0, idle: 0, waiting: 0, refused: 0 })
})

test('the deadline of a host starts to run when the wait for a connection ends', async () => {
  const { peer, held, answerAll } = await holding()
  const egress = egressTo([peer.port], { limits: { maxConnectionsPerHost: 1 } })
  const first = egress.request({ url: at(peer) })
  await expect.poll(() => held.length).toBe(1)
  const second = egress.stream({ url: at(peer), deadlineMs: 300, maxWaitMs: 60_000 })
  await expect.poll(() => egress.connections().waiting).toBe(1)
  answerAll()
  await expect(second).rejects.toMatchObject({ kind: 'timeout' })
  expect((await first).status).toBe(200)
})

test('an organisation whose hosts stay silent takes no connection from others', async () => {
  const hosts = await Promise.all([holding(), holding(), holding(), holding()])
  const victim = await peers.https(certificate, (_request, response) => response.end('ok'))
  const ports = [...hosts.map(({ peer }) => peer.port), victim.port]
  const egress = egressTo(ports, { limits: { maxConnectionsPerHost: 8, maxConnections: 32 } })
  const stop = new AbortController()
  const forever = { signal: stop.signal, deadlineMs: 86_400_000, idleTimeoutMs: 86_400_000, maxWaitMs: 86_400_000 }
  const attack = hosts.flatMap(({ peer }) =>
    Array.from({ length: 8 }, () => egress.stream({ org: 'attacker', url: at(peer), ...forever })),
  )
  await expect.poll(() => hosts.flatMap(({ held }) => held).length).toBe(16)
  expect(egress.connections()).toMatchObject({ open: 16, waiting: 16 })
  // Others share the rest in the same way, also at a host of the attacker.
  const [first] = hosts
  const others = ['b', 'c', 'd', 'e'].map((org) => egress.stream({ org, url: at(first?.peer as Peer), ...forever }))
  await expect.poll(() => first?.held.length).toBe(8)
  expect((await egress.request({ org: 'victim', url: at(victim) })).status).toBe(200)
  stop.abort()
  const ends = await Promise.allSettled([...attack, ...others])
  expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 36 }, () => 'rejected'))
  await expect.poll(() => egress.connections().open - egress.connections().idle).toBe(0)
})

test('an organisation uses more connections as soon as others end their calls', async () => {
  const { peer, held, answerAll } = await holding()
  const egress = egressTo([peer.port], { limits: { maxConnections: 4 } })
  const calls = ['a', 'a', 'b', 'a', 'b'].map((org) => egress.request({ org, url: at(peer) }))
  await expect.poll(() => held.length).toBe(3)
  expect(egress.connections()).toMatchObject({ open: 3, waiting: 2 })
  const pump = setInterval(answerAll, 5)
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  clearInterval(pump)
})

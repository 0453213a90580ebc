import { afterAll, describe, expect, test } from 'vitest'
import { createEgress, type Egress, type EgressOptions } from './egress.ts'
import { EgressFailed, EgressRefused, egressErrorOf } from './failure.ts'
import { createDnsResolver, type Resolver } from './resolver.ts'
import { makeCertificate } from './test/certificate.ts'
import { hostileHosts, hostileUrls } from './test/hostile-urls.ts'
import { startNameServer, type Zone } from './test/name-server.ts'
import { createPeers } from './test/peers.ts'

const peers = createPeers()
const opened: { close(): void }[] = []
const metadata = '169.254.169.254'
// Stands for the public host: the tested guard allows it and nothing else.
const honest = '127.0.0.1'
const allowRanges = [`${honest}/32`]

const open = (options: EgressOptions): Egress => {
  const egress = createEgress(options)
  opened.push(egress)
  return egress
}

/** Every method that sends requests. */
const throughEveryDoor = async (egress: Egress, url: string): Promise<unknown[]> => {
  const doors = [
    () => egress.request({ method: 'POST', url, body: '{}', deadlineMs: 2000 }),
    () => egress.stream({ url, deadlineMs: 2000 }),
    () => egress.fetchWith({ deadlineMs: 2000 })(url, { method: 'POST', body: '{}' }),
  ]
  const errors: unknown[] = []
  for (const door of doors) {
    const error = await door().then(
      () => 'it went through',
      (reason: unknown) => reason,
    )
    errors.push(error)
  }
  return errors
}

afterAll(async () => {
  for (const part of opened) part.close()
  await peers.close()
})

describe('the canary on loopback is never reached', () => {
  test('by any spelling of its address on an allowed port, while a plain fetch reaches it', async () => {
    const canary = await peers.canary()
    const control = await peers.canary()
    const encodings = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', 'localhost']
    for (const host of encodings) await fetch(`http://${host}:${control.port}/`).catch(() => undefined)
    expect(control.connections()).toBe(encodings.length)

    // The most permissive guard: plain http, the port of the canary, and an honest resolver.
    const egress = open({ allowPlainHttp: true, allowPorts: [canary.port], resolver: async () => ['127.0.0.1', '::1'] })
    for (const scheme of ['https', 'http']) {
      for (const host of hostileHosts) {
        const url = `${scheme}://${host}:${canary.port}/`
        for (const error of await throughEveryDoor(egress, url))
          expect([url, error]).toEqual([url, expect.any(EgressRefused)])
        expect((await egress.checkTarget(url)).ok).toBe(false)
      }
    }
    expect(canary.connections()).toBe(0)
  })

  test('by any malformed URL', async () => {
    const canary = await peers.canary()
    const egress = open({ allowPorts: [canary.port], resolver: async () => ['127.0.0.1'] })
    for (const url of hostileUrls) {
      const aimed = url.replace('127.0.0.1', `127.0.0.1:${canary.port}`)
      for (const error of await throughEveryDoor(egress, aimed)) {
        expect([aimed, error]).toEqual([aimed, expect.any(EgressRefused)])
      }
    }
    expect(canary.connections()).toBe(0)
  })

  test.for([
    ['loopback', ['127.0.0.2']],
    ['loopback of IPv6', ['::1']],
    ['a mapped loopback', ['::ffff:127.0.0.2']],
    ['a translated loopback', ['64:ff9b::7f00:2']],
    ['a public and a private address', [honest, '10.0.0.1']],
    ['a private and a public address', ['10.0.0.1', honest]],
    ['a private address at the end of a long list', [...Array.from({ length: 50 }, () => honest), '10.0.0.1']],
    ['metadata', [metadata]],
    ['something that is no address', ['localhost']],
    ['an address with a zone', ['fe80::1%lo']],
  ] as const)('by a name that resolves to %s', async ([, addresses]) => {
    const canary = await peers.canary()
    const egress = open({ allowRanges, allowPorts: [canary.port], resolver: async () => addresses })
    const url = `https://hooks.example.com:${canary.port}/`
    for (const error of await throughEveryDoor(egress, url)) expect(error).toBeInstanceOf(EgressRefused)
    expect(await egress.checkTarget(url)).toMatchObject({ ok: false })
    expect(canary.connections()).toBe(0)
  })

  test('by a name that resolves differently the second time: 500 attempts', async () => {
    const certificate = makeCertificate(['rebind.example.com'])
    const canary = await peers.canary()
    const canaryOfOther = await peers.canary('127.0.0.2')
    const receiver = await peers.https(certificate, (_request, response) => response.end('ok'))
    let lookUps = 0
    const rebinding: Resolver = async () => (lookUps++ % 2 === 0 ? [honest] : [metadata, '127.0.0.2'])
    const egress = open({
      allowRanges,
      allowPorts: [receiver.port, canary.port, canaryOfOther.port],
      resolver: rebinding,
      extraCertificates: [certificate.cert],
    })
    const outcomes = { answered: 0, refused: 0 }
    for (let round = 0; round < 250; round++) {
      const url = `https://rebind.example.com:${receiver.port}/`
      expect((await egress.request({ url })).status).toBe(200)
      outcomes.answered++
      // An idle connection to the honest address exists now. The name has moved, so it must not be reused.
      const error = await egress.request({ url }).catch((reason: unknown) => reason)
      if (error instanceof EgressRefused) outcomes.refused++
    }
    expect(outcomes).toEqual({ answered: 250, refused: 250 })
    // One look-up per attempt: the connection does not look up again.
    expect(lookUps).toBe(500)
    expect([canary.connections(), canaryOfOther.connections()]).toEqual([0, 0])
  })
})

test('the resolved address is logged and not shown to the customer', async () => {
  const egress = open({ resolver: async () => ['10.11.12.13'] })
  const error = egressErrorOf(await egress.fetch('https://hooks.example.com/').catch((reason: unknown) => reason))
  expect(error).toBeInstanceOf(EgressRefused)
  expect(error).toMatchObject({
    message: 'The name hooks.example.com has no address in the public Internet.',
    detail: '10.11.12.13: a private address',
  })
})

test('nobody learns which names exist in a private network, neither from the message nor from the kind of failure', async () => {
  const answers = [['10.1.2.3'], [], ['127.0.0.1'], ['64:ff9b::7f00:1'], ['169.254.169.254'], [honest, '10.0.0.1']]
  const told = new Set<string>()
  for (const answer of answers) {
    const egress = open({ resolver: async () => answer })
    const url = 'https://vault.example.com/'
    const errors = (await throughEveryDoor(egress, url)).map(egressErrorOf)
    expect(errors.every((error) => error instanceof EgressRefused)).toBe(true)
    told.add(JSON.stringify([await egress.checkTarget(url), ...errors.map((error) => error?.message)]))
  }
  expect(told.size).toBe(1)
})

describe('a name that cannot be looked up fails closed', () => {
  test.for<[string, Resolver]>([
    ['an error', () => Promise.reject(new Error('EAI_AGAIN'))],
    ['silence', () => new Promise(() => undefined)],
  ])('%s', async ([, resolver]) => {
    const egress = open({ resolver, limits: { dnsTimeoutMs: 200 } })
    for (const error of await throughEveryDoor(egress, 'https://hooks.example.com/')) {
      expect(egressErrorOf(error)).toMatchObject({ name: 'EgressFailed', kind: 'dns', reached: false })
    }
    expect(await egress.checkTarget('https://hooks.example.com/')).toMatchObject({ ok: false })
  })
})

describe('with a real name server', () => {
  const start = async (zone: Zone): Promise<Resolver> => {
    const nameServer = await startNameServer(zone)
    opened.push(nameServer)
    return createDnsResolver({ servers: [nameServer.server], queryTimeoutMs: 300 })
  }

  const outcomeOf = async (resolver: Resolver): Promise<unknown> => {
    const egress = open({
      resolver,
      allowRanges,
      allowPorts: [1],
      limits: { dnsTimeoutMs: 1000, connectTimeoutMs: 1000 },
    })
    return egress.request({ url: 'https://hooks.example.com:1/', deadlineMs: 3000 }).catch((reason: unknown) => reason)
  }

  test.for<[string, ReturnType<Zone>, RegExp]>([
    ['a private address', { addresses: ['10.0.0.1'] }, /has no address in the public/],
    ['a private address of IPv6', { addresses: ['fd00::1'] }, /has no address in the public/],
    ['a public and a private one', { addresses: [honest, 'fd00::1'] }, /has no address in the public/],
    [
      'an alias into a private network',
      { alias: 'db.corp.internal', addresses: ['10.0.0.1'] },
      /has no address in the public/,
    ],
    ['metadata', { addresses: [metadata] }, /has no address in the public/],
    ['no address', { addresses: [] }, /has no address in the public/],
    ['no such name', 'NXDOMAIN', /has no address in the public/],
    ['a server that fails', 'SERVFAIL', /could not be looked up/],
    ['a server that is silent', 'silence', /could not be looked up/],
  ])('%s goes nowhere', async ([, answer, says]) => {
    const error = await outcomeOf(await start(() => answer))
    expect(error).toMatchObject({ message: expect.stringMatching(says) })
  })

  test('a name that resolves to a public address first and to metadata later is looked up every time', async () => {
    let questions = 0
    // Each look-up asks twice, for IPv4 and IPv6.
    const resolver = await start(() => ({ addresses: [questions++ < 2 ? honest : metadata] }))
    const first = await outcomeOf(resolver)
    const second = await outcomeOf(resolver)
    expect(first).toBeInstanceOf(EgressFailed)
    expect(first).toMatchObject({ kind: 'connect' })
    expect(second).toBeInstanceOf(EgressRefused)
  })

  test('localhost is never looked up and can be called only if loopback is allowed', async () => {
    const resolver = await start(() => ({ addresses: [honest] }))
    for (const name of ['localhost', 'app.localhost']) {
      expect(await resolver(name)).toEqual(['127.0.0.1'])
      const closed = open({ resolver, allowRanges: ['10.0.0.0/8'] })
      expect(await closed.checkTarget(`https://${name}/`)).toMatchObject({ ok: false })
      const allowed = open({ resolver, allowRanges: ['127.0.0.0/8'] })
      expect(await allowed.checkTarget(`https://${name}/`)).toMatchObject({ ok: true })
    }
  })

  test('both A and AAAA records are found', async () => {
    const resolver = await start(() => ({ addresses: ['192.0.66.1', '2606:4700::1'] }))
    expect(await resolver('hooks.example.com')).toEqual(['192.0.66.1', '2606:4700::1'])
  })
})

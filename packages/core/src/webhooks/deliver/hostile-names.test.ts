import { randomUUID } from 'node:crypto'
import { systemClock } from '@ars/platform/clock'
import { createEgress } from '@ars/platform/egress/egress'
import { createDnsResolver } from '@ars/platform/egress/resolver'
import { startNameServer, type Zone } from '@ars/platform/egress/test/name-server'
import { createPeers } from '@ars/platform/egress/test/peers'
import { afterAll, expect, test } from 'vitest'
import { requireTarget } from '../manage/webhook-check.service.ts'
import { sendAttempt } from './attempt.service.ts'
import type { Claimed } from './endpoint-queue.store.ts'

/*
 * Bad input, row 61: names whose addresses are the attack. `pnpm attacks outgoing` does the same to the whole service,
 * in a network of decoy servers.
 */

// Plays the public host: the guard allows only this address. It has no listener.
const publicHost = '127.0.0.9'
const metadata = '169.254.169.254'
const ownUrl = new URL('https://api.example.com')
const peers = createPeers()
const opened: { close(): void }[] = []
afterAll(async () => {
  for (const part of opened) part.close()
  await peers.close()
})

const worldOf = async (zone: Zone, allowRanges = [`${publicHost}/32`]) => {
  const canary = await peers.canary()
  const names = await startNameServer(zone)
  const egress = createEgress({
    allowRanges,
    allowPorts: [canary.port],
    resolver: createDnsResolver({ servers: [names.server], queryTimeoutMs: 200 }),
    limits: { dnsTimeoutMs: 500 },
  })
  opened.push(names, egress)
  return { canary, egress, url: `https://hooks.example.com:${canary.port}/` }
}

const send = (egress: ReturnType<typeof createEgress>, url: string) => {
  const claimed: Partial<Claimed> = { url, delivery_id: randomUUID(), webhook_id: randomUUID(), event_id: randomUUID() }
  const request = {
    claimed: { ...claimed, number: 1, run_id: null, trace_context: null } as Claimed,
    body: '{}',
    secrets: ['whsec_of_a_test'] as const,
  }
  return sendAttempt({ egress, clock: systemClock }, request)
}

test.for<[string, ReturnType<Zone>, RegExp]>([
  ['a private address', { addresses: ['10.0.0.5'] }, /has no address in the public Internet/],
  ['loopback', { addresses: ['127.0.0.1'] }, /has no address in the public Internet/],
  ['metadata', { addresses: [metadata] }, /has no address in the public Internet/],
  ['metadata of IPv6', { addresses: ['fd00:ec2::254'] }, /has no address in the public Internet/],
  ['a public and a private address', { addresses: [publicHost, '10.0.0.5'] }, /has no address in the public Internet/],
  [
    'an alias into a private network',
    { alias: 'db.corp.internal', addresses: ['10.0.0.5'] },
    /has no address in the public Internet/,
  ],
  ['no such name', 'NXDOMAIN', /has no address in the public Internet/],
  ['a name server that fails', 'SERVFAIL', /could not be looked up/],
  ['a name server that never answers', 'silence', /could not be looked up/],
])('a webhook whose name has %s is refused, and nothing is called', async ([, answer, words]) => {
  const { canary, egress, url } = await worldOf(() => answer)
  await expect(requireTarget({ egress, ownUrl }, url)).rejects.toMatchObject({
    code: 'url_not_allowed',
    param: 'url',
    message: expect.stringMatching(words),
  })
  expect(canary.connections()).toBe(0)
})

test.for<[string, ReturnType<Zone>, RegExp]>([
  ['loopback', { addresses: ['127.0.0.1'] }, /^refused: The name hooks\.example\.com has no address/],
  ['metadata', { addresses: [metadata] }, /^refused: The name hooks\.example\.com has no address/],
  ['both', { addresses: [publicHost, '127.0.0.1'] }, /^refused: The name hooks\.example\.com has no address/],
  ['nobody', 'NXDOMAIN', /^refused: The name hooks\.example\.com has no address/],
  ['silence', 'silence', /^dns: The name hooks\.example\.com could not be looked up/],
])(
  'a name that was public at registration and leads to %s at the attempt fails that attempt',
  async ([, answer, words]) => {
    let questions = 0
    // A lookup queries twice, for IPv4 and for IPv6.
    const { canary, egress, url } = await worldOf(() => (questions++ < 2 ? { addresses: [publicHost] } : answer))
    await expect(requireTarget({ egress, ownUrl }, url)).resolves.toBeUndefined()
    const attempt = await send(egress, url)
    expect(attempt).toMatchObject({ outcome: 'failed', httpStatus: null, error: expect.stringMatching(words) })
    // The message names no internal address: a customer must not learn the network layout from it.
    expect(attempt.error).not.toMatch(/127\.0\.0\.1|169\.254/)
    expect(canary.connections()).toBe(0)
  },
)

test('if the operator allows the address, the same attempt reaches the decoy server', async () => {
  const { canary, egress, url } = await worldOf(() => ({ addresses: ['127.0.0.1'] }), ['127.0.0.1/32'])
  await requireTarget({ egress, ownUrl }, url)
  // The decoy server speaks no TLS: the test checks only that it was contacted.
  expect(await send(egress, url)).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/^tls: /) })
  expect(canary.connections()).toBe(1)
})

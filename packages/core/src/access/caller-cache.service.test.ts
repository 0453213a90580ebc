import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import type { Found } from './caller.ts'
import { createCallerCache } from './caller-cache.service.ts'

const found = (keyId: string, livesMs: number | null = null): Found => ({
  caller: {
    org: 'org',
    actor: { type: 'key', id: `key_${keyId}` },
    credential: 'key',
    scopes: new Set(),
    agentIds: null,
    runId: null,
    isDemo: false,
    policySetId: null,
    runOwner: null,
    bucket: { id: keyId, requestsPerMinute: 1, burst: 1 },
    retiring: null,
    sessionId: null,
  },
  keyId,
  dependsOn: [keyId, 'org'],
  livesMs,
})

const open = () => {
  const clock = fakeClock()
  return { clock, cache: createCallerCache({ clock, pubSub: undefined }) }
}

test('a cached caller is valid for 4 seconds, or until it expires if that is sooner', async () => {
  const { clock, cache } = open()
  await cache.ask('long', () => Promise.resolve(found('long')))
  await cache.ask('short', () => Promise.resolve(found('short', 1_500)))
  clock.advance(1_499)
  expect(cache.find('short')).not.toBeNull()
  clock.advance(1)
  expect(cache.find('short')).toBeNull()
  clock.advance(2_499)
  expect(cache.find('long')).not.toBeNull()
  clock.advance(1)
  expect(cache.find('long')).toBeNull()
})

test('the cache time counts from the start of the lookup, not from its response', async () => {
  const { clock, cache } = open()
  await cache.ask('slow', () => {
    clock.advance(3_000)
    return Promise.resolve(found('slow'))
  })
  clock.advance(999)
  expect(cache.find('slow')).not.toBeNull()
  clock.advance(1)
  expect(cache.find('slow')).toBeNull()
})

test('a response that was read before an invalidation and arrives after it is not cached', async () => {
  const { cache } = open()
  const late = Promise.withResolvers<Found | null>()
  const first = cache.ask('key', () => late.promise)
  cache.forget('key')
  // A lookup that starts after the change does not share a response from before it.
  expect(await cache.ask('key', () => Promise.resolve(null))).toBeNull()
  late.resolve(found('key'))
  expect(await first).not.toBeNull()
  expect(cache.find('key')).toBeNull()
})

test('unknown callers and failures are not cached, and concurrent lookups are shared', async () => {
  const { cache } = open()
  let asked = 0
  const stranger = () => {
    asked += 1
    return Promise.resolve(null)
  }
  await Promise.all([cache.ask('x', stranger), cache.ask('x', stranger), cache.ask('x', stranger)])
  expect(asked).toBe(1)
  await cache.ask('x', stranger)
  expect(asked).toBe(2)
  await expect(cache.ask('y', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await cache.ask('y', () => Promise.resolve(found('y')))).not.toBeNull()
  expect(cache.find('y')).not.toBeNull()
})

test('the cache holds 10,000 entries and evicts the oldest (accessBounds.callersKnown)', async () => {
  const { cache } = open()
  for (let n = 0; n <= 10_000; n++) await cache.ask(`k${n}`, () => Promise.resolve(found(`k${n}`)))
  expect(cache.find('k0')).toBeNull()
  expect(cache.find('k1')).not.toBeNull()
  expect(cache.find('k10000')).not.toBeNull()
  cache.forget('org')
  expect(cache.find('k1')).toBeNull()
})

import type { Caller } from '@ars/core/ctx'
import { testCaller } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import type { FastifyRequest } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { createCredentialWatch, faultOf, type Lapse } from './credential-watch.ts'

/* Which credentials end when is in apps/server/test/credential-ends.test.ts, with a real database. */

const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

const watchWith = (authenticate: (bearer: string) => Promise<Caller | null>) => {
  const clock = fakeClock()
  const people = { confirmSession: () => Promise.resolve(null) }
  const watch = createCredentialWatch({ access: { authenticate }, people, clock, recheckMs: 2 ** 30 })
  closes.push(watch.close)
  return { clock, watch }
}

const admitted = (key: string): FastifyRequest =>
  ({
    raw: { headers: { authorization: `Bearer ${key}` }, rawHeaders: [] },
    caller: testCaller('org'),
  }) as unknown as FastifyRequest

test('while the database is away, streams continue for a minute and then end (serverBounds.credentialUnconfirmed)', async () => {
  const { clock, watch } = watchWith(() => Promise.reject(new Error('away')))
  const lapses: Lapse[] = []
  watch.add(admitted('a'), (lapse) => lapses.push(lapse))
  for (let seconds = 0; seconds < 59; seconds++) {
    clock.advance(1_000)
    await watch.recheck()
  }
  expect(lapses).toEqual([])
  clock.advance(1_000)
  await watch.recheck()
  expect(lapses).toEqual(['unconfirmed'])
  expect(faultOf('unconfirmed')).toMatchObject({ code: 'unavailable' })
})

test('a round asks for a bounded number of credentials at once, and two rounds never overlap (serverBounds.credentialLookups)', async () => {
  let [underWay, most, asked] = [0, 0, 0]
  const { watch } = watchWith(async () => {
    asked++
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
    return null
  })
  const lapses: Lapse[] = []
  for (let n = 0; n < 500; n++) watch.add(admitted(`key-${n}`), (lapse) => lapses.push(lapse))
  await Promise.all([watch.recheck(), watch.recheck()])
  expect([asked, lapses.length]).toEqual([500, 500])
  expect(most).toBeLessThanOrEqual(16)
  await watch.recheck()
  expect(asked).toBe(500)
})

test('a request that has ended is no longer watched', async () => {
  let asked = 0
  const { watch } = watchWith(() => {
    asked++
    return Promise.resolve(null)
  })
  const lapses: Lapse[] = []
  const stop = watch.add(admitted('a'), (lapse) => lapses.push(lapse))
  stop()
  await watch.recheck()
  expect([asked, lapses]).toEqual([0, []])
})

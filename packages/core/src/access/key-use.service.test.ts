import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, openAccessWorld } from '../../test/access-world.ts'
import { createKeyUses } from './key-use.service.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const log = createLog({ level: 'silent', write: () => undefined })
const newKey = async () => toUuid((await world.newOrg()).id)
const lastUsed = async (...ids: string[]): Promise<(number | null)[]> => {
  const rows = await world.sql<{ id: string; ago: number | null }>(
    'select id, extract(epoch from app_now() - last_used_at)::float8 as ago from api_keys where id = any($1)',
    [ids],
  )
  return ids.map((id) => rows.find((row) => row.id === id)?.ago ?? null)
}
const counted = (): { auth: Database; statements(): number } => {
  let statements = 0
  const auth: Database = {
    ...world.auth,
    once: (org, statement) => {
      statements += 1
      return world.auth.once(org, statement)
    },
  }
  return { auth, statements: () => statements }
}

test('uses of many keys are written in one statement, with the time of use and not of writing', async () => {
  const clock = fakeClock()
  const { auth, statements } = counted()
  const uses = createKeyUses({ auth, clock, log })
  const [one, two, unused] = [await newKey(), await newKey(), await newKey()]
  for (let n = 0; n < 100; n++) uses.note(one)
  clock.advance(3_600_000)
  uses.note(two)
  await uses.close()
  expect(statements()).toBe(1)
  const [first, second, third] = await lastUsed(one, two, unused)
  expect(first).toBeGreaterThanOrEqual(3_600)
  expect(first).toBeLessThan(3_600 + 60)
  expect(second).toBeLessThan(60)
  expect(third).toBeNull()
})

test('uses are flushed automatically after a delay', async () => {
  const uses = createKeyUses({ auth: world.auth, clock: fakeClock(), log, everyMs: 10 })
  const key = await newKey()
  uses.note(key)
  await expect.poll(async () => (await lastUsed(key))[0], { timeout: 45_000 }).not.toBeNull()
  await uses.close()
})

test('an older use never overwrites a newer one, regardless of which gateway writes last', async () => {
  const key = await newKey()
  const clock = fakeClock()
  const slow = createKeyUses({ auth: world.auth, clock, log })
  slow.note(key)
  clock.advance(7_200_000)
  const quick = createKeyUses({ auth: world.auth, clock: fakeClock(), log })
  quick.note(key)
  await quick.close()
  await slow.close()
  expect((await lastUsed(key))[0]).toBeLessThan(3_600)
})

test('uses that could not be written are written later', async () => {
  const key = await newKey()
  let isAway = true
  const auth: Database = {
    ...world.auth,
    once: (org, statement) => (isAway ? Promise.reject(new Error('away')) : world.auth.once(org, statement)),
  }
  const uses = createKeyUses({ auth, clock: fakeClock(), log })
  uses.note(key)
  await uses.flush()
  expect(await lastUsed(key)).toEqual([null])
  isAway = false
  await uses.close()
  expect((await lastUsed(key))[0]).not.toBeNull()
})

test('two gateways that write the same keys concurrently do not block each other', async () => {
  const keys = await Promise.all(Array.from({ length: 30 }, newKey))
  const gateways = Array.from({ length: 4 }, () => createKeyUses({ auth: world.auth, clock: fakeClock(), log }))
  for (let round = 0; round < 20; round++) {
    for (const [n, gateway] of gateways.entries()) for (const key of n % 2 ? keys : keys.toReversed()) gateway.note(key)
    await Promise.all(gateways.map((gateway) => gateway.flush()))
  }
  expect((await lastUsed(...keys)).every((ago) => ago !== null)).toBe(true)
  expect(world.logLines.filter((line) => line.includes('could not be written'))).toEqual([])
})

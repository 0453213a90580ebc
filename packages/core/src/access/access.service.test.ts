import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openWakeups, type Wakeups } from '@ars/platform/redis/redis'
import { fakeClock } from '@ars/testkit/clock'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AccessWorld, lostWakeups, openAccessWorld, stopDatabaseClock } from '../../test/access-world.ts'
import type { AccessService } from './access.service.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const log = createLog({ level: 'silent', write: () => undefined })
const hour = 3_600_000
const aKey = { name: 'CI', scopes: ['runs:read', 'runs:write'] }
const turned = (key: string): string => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')

test('a key with a typo is refused without a look-up, and so is what is no key at all', async () => {
  const { key } = await world.newOrg()
  const before = world.lookUps()
  for (const text of [turned(key), `${key}x`, key.slice(1), ` ${key}`, '', 'Bearer', key.replace('live', 'demo')]) {
    expect(await world.access.authenticate(text)).toBeNull()
  }
  expect(world.lookUps()).toBe(before)
})

test('a key that is in use is looked up once in a while, not at each request', async () => {
  const clock = fakeClock()
  const access = world.another({ clock })
  const { key } = await world.newOrg()
  const before = world.lookUps()
  await Promise.all(Array.from({ length: 50 }, () => access.authenticate(key)))
  for (let n = 0; n < 50; n++) expect(await access.authenticate(key)).not.toBeNull()
  expect(world.lookUps() - before).toBe(1)
  expect(access.isRemembered(key)).toBe(true)
  expect(access.isRemembered(turned(key))).toBe(false)
  clock.advance(4_000)
  expect(access.isRemembered(key)).toBe(false)
  await access.authenticate(key)
  expect(world.lookUps() - before).toBe(2)
})

test('a key that nobody holds is looked up each time: strangers fill no memory', async () => {
  const { ctx } = await world.newOrg()
  const { key, id } = (await world.access.keys.create(ctx, aKey)).body
  await world.access.keys.revoke(ctx, id)
  const before = world.lookUps()
  for (let n = 0; n < 3; n++) expect(await world.access.authenticate(key ?? '')).toBeNull()
  expect(world.lookUps() - before).toBe(3)
})

/** Two processes; the clock of the second stands still, so that it hears of a change or never does. */
const withTwo = async (
  wakeups: 'redis' | 'lost',
  work: (first: AccessService, second: AccessService, clock: ReturnType<typeof fakeClock>) => Promise<void>,
): Promise<void> => {
  const clock = fakeClock()
  const subscriptions: Promise<void>[] = []
  const open = async (): Promise<Wakeups> => {
    if (wakeups === 'lost') return lostWakeups
    const redis = await openWakeups({ url: testRedisUrl(), log })
    const subscribe: Wakeups['subscribe'] = (...args) => {
      const standing = redis.subscribe(...args)
      subscriptions.push(standing)
      return standing
    }
    return { ...redis, subscribe }
  }
  const [one, two] = [await open(), await open()]
  try {
    const [first, second] = [world.another({ wakeups: one }), world.another({ wakeups: two, clock })]
    await Promise.all(subscriptions)
    await work(first, second, clock)
  } finally {
    one.close()
    two.close()
  }
}

test('with wake-ups every process hears of a revocation, of a change, of a rotation and of a new plan', async () => {
  await withTwo('redis', async (first, second) => {
    const { org, ctx } = await world.newOrg()
    const { key, id } = (await first.keys.create(ctx, aKey)).body
    const seen = () => second.authenticate(key ?? '')
    const eventually = (expectation: (caller: Awaited<ReturnType<typeof seen>>) => void) =>
      vi.waitFor(async () => expectation(await seen()), { timeout: 45_000 })
    expect((await seen())?.scopes.size).toBe(2)
    const token = (await first.tokens.create({ ...ctx, actor: { type: 'key', id } }, { scopes: ['runs:read'] })).token
    expect(await second.authenticate(token)).not.toBeNull()

    await first.keys.update(ctx, { id, scopes: ['runs:write'] })
    await eventually((caller) => expect([...(caller?.scopes ?? [])]).toEqual(['runs:write']))
    // The token still lives, and holds nothing any more that its parent lacks.
    expect((await second.authenticate(token))?.scopes.size).toBe(0)
    await first.setPlan(org, 'free')
    await eventually((caller) => expect(caller?.bucket.requestsPerMinute).toBe(100))
    await first.keys.rotate(ctx, id)
    await eventually((caller) => expect(caller?.retiring).not.toBeNull())
    await first.keys.revoke(ctx, id)
    await eventually((caller) => expect(caller).toBeNull())
    expect(await second.authenticate(token)).toBeNull()
  })
})

test('without wake-ups a revoked key and its tokens stop at once where it was revoked, and within 4 seconds elsewhere', async () => {
  await withTwo('lost', async (first, second, clock) => {
    const { ctx } = await world.newOrg()
    const { key, id } = (await first.keys.create(ctx, aKey)).body
    const { token } = await first.tokens.create({ ...ctx, actor: { type: 'key', id } }, { scopes: ['runs:read'] })
    const all = (access: AccessService) =>
      Promise.all([key ?? '', token].map(async (bearer) => (await access.authenticate(bearer)) !== null))
    expect([await all(first), await all(second)]).toEqual([
      [true, true],
      [true, true],
    ])
    await first.keys.revoke(ctx, id)
    expect(await all(first)).toEqual([false, false])
    clock.advance(4_000)
    expect(await all(second)).toEqual([false, false])
  })
})

test('when a key was last used is in its record, written when the process stops at the latest', async () => {
  const { org, key } = await world.newOrg()
  const access = world.another()
  const { id } = (await access.createKey(org, { name: 'quiet' })) as { id: `key_${string}` }
  const ctx = await world.ctxOf(key)
  await access.authenticate(key)
  await access.close()
  const used = await world.access.keys.get(ctx, ctx.actor.id as `key_${string}`)
  expect(used.last_used_at).toMatch(/Z$/)
  expect((await world.access.keys.get(ctx, id)).last_used_at).toBeNull()
})

const exposures = (org: string) =>
  world.sql<{ actor_type: string; subject: string; address: string; request_id: string }>(
    `select actor_type, subject, address, request_id from audit_log where org_id = $1 and action = 'api_key.exposed'`,
    [org],
  )
const request = { address: '198.51.100.4', requestId: 'req_plain' }

test('a key that came over plain HTTP is flagged, audited once an hour and told in the log without the key', async () => {
  const { org, id, key, ctx } = await world.newOrg()
  expect(await world.access.noteExposed(key, request)).toEqual({ revoked: false })
  expect(await world.access.noteExposed(key, request)).toEqual({ revoked: false })
  const line = { actor_type: 'service', subject: id, address: request.address, request_id: request.requestId }
  expect(await exposures(org)).toEqual([line])
  const record = await world.access.keys.get(ctx, id as `key_${string}`)
  expect(record).toMatchObject({ exposed_at: expect.any(String), revoked_at: null })
  expect(await world.access.authenticate(key)).not.toBeNull()
  const told = world.logLines.filter((each) => each.includes('plain http') && each.includes(id))
  expect(told).toHaveLength(1)
  expect(world.logLines.join('')).not.toContain(key)
})

test('where the operator says so, a key that came over plain HTTP is revoked', async () => {
  const access = world.another({ plainHttpKey: 'revoke' })
  const { org, id, key } = await world.newOrg()
  expect(await access.authenticate(key)).not.toBeNull()
  expect(await access.noteExposed(key, request)).toEqual({ revoked: true })
  expect(await access.authenticate(key)).toBeNull()
  expect(await exposures(org)).toHaveLength(1)
  const [row] = await world.sql<{ revoked: boolean }>(
    'select revoked_at is not null and exposed_at is not null as revoked from api_keys where id = $1',
    [toUuid(id)],
  )
  expect(row).toEqual({ revoked: true })
  expect(await access.noteExposed(key, request)).toBeNull()
})

test('what is no key that works is not flagged', async () => {
  const { org, key, ctx } = await world.newOrg()
  const { token } = await world.access.tokens.create(ctx, { scopes: ['runs:read'] })
  for (const text of [turned(key), 'nonsense', token]) expect(await world.access.noteExposed(text, request)).toBeNull()
  expect(await exposures(org)).toEqual([])
})

// From here on the clock of the database that all share stands where it is put.

const start = new Date('2031-01-01T00:00:00.000Z')
const stopClock = (afterMs: number) => stopDatabaseClock(world.database.ownerUrl, new Date(start.getTime() + afterMs))

test('a key that is remembered ends at its second', async () => {
  await stopClock(0)
  const { ctx } = await world.newOrg()
  const clock = fakeClock()
  const access = world.another({ clock })
  const expires_at = new Date(start.getTime() + 3_000).toISOString()
  const { key } = (await access.keys.create(ctx, { ...aKey, expires_at })).body
  expect(await access.authenticate(key ?? '')).not.toBeNull()
  const before = world.lookUps()
  await stopClock(2_999)
  clock.advance(2_999)
  expect(await access.authenticate(key ?? '')).not.toBeNull()
  expect(world.lookUps() - before).toBe(0)
  await stopClock(3_000)
  clock.advance(1)
  expect(await access.authenticate(key ?? '')).toBeNull()
})

test('the old key works for 24 hours after its rotation, and not a second longer', async () => {
  await stopClock(0)
  const { ctx } = await world.newOrg()
  const old = (await world.access.keys.create(ctx, aKey)).body
  const heir = (await world.access.keys.rotate(ctx, old.id)).body
  // A process of its own each time: it remembers nothing.
  const works = async (key: string | null) => (await world.another().authenticate(key ?? '')) !== null
  await stopClock(24 * hour - 1)
  expect(await works(old.key)).toBe(true)
  await stopClock(24 * hour)
  expect(await works(old.key)).toBe(false)
  expect(await works(heir.key)).toBe(true)
})

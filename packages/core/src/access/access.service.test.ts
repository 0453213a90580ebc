import { eventTypes } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { fakeClock } from '@ars/testkit/clock'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AccessWorld, lostPubSub, openAccessWorld, stopDatabaseClock } from '../../test/access-world.ts'
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

test('a malformed key is refused without a database lookup', async () => {
  const { key } = await world.newOrg()
  const before = world.lookUps()
  for (const text of [turned(key), `${key}x`, key.slice(1), ` ${key}`, '', 'Bearer', key.replace('live', 'demo')]) {
    expect(await world.access.authenticate(text)).toBeNull()
  }
  expect(world.lookUps()).toBe(before)
})

test('an active key is cached and not looked up on every request', async () => {
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

test('an unknown key is looked up on every request and is never cached', async () => {
  const { ctx } = await world.newOrg()
  const { key, id } = (await world.access.keys.create(ctx, aKey)).body
  await world.access.keys.revoke(ctx, id)
  const before = world.lookUps()
  for (let n = 0; n < 3; n++) expect(await world.access.authenticate(key ?? '')).toBeNull()
  expect(world.lookUps() - before).toBe(3)
})

/** Two processes. The clock of the second stands still, so that it learns of a change by pub/sub or never. */
const withTwo = async (
  pubSub: 'redis' | 'lost',
  work: (first: AccessService, second: AccessService, clock: ReturnType<typeof fakeClock>) => Promise<void>,
): Promise<void> => {
  const clock = fakeClock()
  const subscriptions: Promise<void>[] = []
  const open = async (): Promise<PubSub> => {
    if (pubSub === 'lost') return lostPubSub
    const redis = await openPubSub({ url: testRedisUrl(), log })
    const subscribe: PubSub['subscribe'] = (...args) => {
      const standing = redis.subscribe(...args)
      subscriptions.push(standing)
      return standing
    }
    return { ...redis, subscribe }
  }
  const [one, two] = [await open(), await open()]
  try {
    const [first, second] = [world.another({ pubSub: one }), world.another({ pubSub: two, clock })]
    await Promise.all(subscriptions)
    await work(first, second, clock)
  } finally {
    one.close()
    two.close()
  }
}

test('with pub/sub every process learns of a revocation, a change, a rotation and a new plan', async () => {
  await withTwo('redis', async (first, second) => {
    const { org, ctx } = await world.newOrg()
    const { key, id } = (await first.keys.create(ctx, aKey)).body
    const seen = () => second.authenticate(key ?? '')
    const eventually = (expectation: (caller: Awaited<ReturnType<typeof seen>>) => void) =>
      vi.waitFor(async () => expectation(await seen()), { timeout: 45_000 })
    expect((await seen())?.scopes.size).toBe(2)
    const token = (await first.tokens.create({ ...ctx, actor: { type: 'key', id } }, { scopes: ['runs:read'] }, null))
      .token
    expect(await second.authenticate(token)).not.toBeNull()

    await first.keys.update(ctx, { id, scopes: ['runs:write'] })
    await eventually((caller) => expect([...(caller?.scopes ?? [])]).toEqual(['runs:write']))
    // The token is still valid and no longer holds rights that its parent lacks.
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

test('without pub/sub a revoked key and its tokens stop working at once in the revoking process and within 4 seconds elsewhere', async () => {
  await withTwo('lost', async (first, second, clock) => {
    const { ctx } = await world.newOrg()
    const { key, id } = (await first.keys.create(ctx, aKey)).body
    const { token } = await first.tokens.create({ ...ctx, actor: { type: 'key', id } }, { scopes: ['runs:read'] }, null)
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

test('the last use of a key is stored in its record, at the latest when the process stops', async () => {
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

test('a key sent over plain HTTP is flagged, audited once per hour and logged without the key', async () => {
  const { org, id, key, ctx } = await world.newOrg()
  expect(await world.access.noteExposed(key, request)).toEqual({ revoked: false })
  expect(await world.access.noteExposed(key, request)).toEqual({ revoked: false })
  const line = { actor_type: 'service', subject: id, address: request.address, request_id: request.requestId }
  expect(await exposures(org)).toEqual([line])
  const events = await world.sql<{ data: unknown }>(
    `select data from events where org_id = $1 and type = 'api_key.exposed'`,
    [org],
  )
  expect(events).toEqual([{ data: expect.objectContaining({ id, exposed_at: expect.any(String), revoked_at: null }) }])
  expect(eventTypes['api_key.exposed'].data.safeParse(events[0]?.data).success).toBe(true)
  const record = await world.access.keys.get(ctx, id as `key_${string}`)
  expect(record).toMatchObject({ exposed_at: expect.any(String), revoked_at: null })
  expect(await world.access.authenticate(key)).not.toBeNull()
  const told = world.logLines.filter((each) => each.includes('plain http') && each.includes(id))
  expect(told).toHaveLength(1)
  expect(world.logLines.join('')).not.toContain(key)
})

test('a key sent over plain HTTP is revoked when the operator configures it', async () => {
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

test('an invalid key is not flagged', async () => {
  const { org, key, ctx } = await world.newOrg()
  const { token } = await world.access.tokens.create(ctx, { scopes: ['runs:read'] }, null)
  for (const text of [turned(key), 'nonsense', token]) expect(await world.access.noteExposed(text, request)).toBeNull()
  expect(await exposures(org)).toEqual([])
})

// From here on the test sets the clock of the shared database.

const start = new Date('2031-01-01T00:00:00.000Z')
const stopClock = (afterMs: number) => stopDatabaseClock(world.database.ownerUrl, new Date(start.getTime() + afterMs))

test('a cached key stops working at the second it expires', async () => {
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

test('a rotated key works for 24 hours after its rotation and not a second longer (limits.keyGraceHours)', async () => {
  await stopClock(0)
  const { ctx } = await world.newOrg()
  const old = (await world.access.keys.create(ctx, aKey)).body
  const heir = (await world.access.keys.rotate(ctx, old.id)).body
  // A new process each time: its cache is empty.
  const works = async (key: string | null) => (await world.another().authenticate(key ?? '')) !== null
  await stopClock(24 * hour - 1)
  expect(await works(old.key)).toBe(true)
  await stopClock(24 * hour)
  expect(await works(old.key)).toBe(false)
  expect(await works(heir.key)).toBe(true)
})

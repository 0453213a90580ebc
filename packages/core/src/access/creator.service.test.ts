import { toUuid } from '@ars/platform/id'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld } from '../../test/access-world.ts'
import { scopesOfRole } from '../people/index.ts'
import { createCallerOf } from './creator.service.ts'

let world: AccessWorld
let callerOf: ReturnType<typeof createCallerOf>

beforeAll(async () => {
  world = await openAccessWorld()
  callerOf = createCallerOf({ app: world.app, scopesOfRole })
})
afterAll(() => world.close())

const keyOf = (id: string) => ({ type: 'key' as const, id: toUuid(id as `key_${string}`) })

test('the caller of a key is the one that its credential gives', async () => {
  const { org, id, key } = await world.newOrg()
  expect(await callerOf(org, keyOf(id))).toEqual(await world.access.authenticate(key))
})

test('a key is narrowed, revoked or expired for the next start', async () => {
  const { org, id } = await world.newOrg()
  const agent = toUuid(newId('ag'))
  await world.sql('update api_keys set agent_ids = $2, scopes = $3 where id = $1', [
    ...[toUuid(id as `key_${string}`), [agent]],
    ['runs:read'],
  ])
  expect(await callerOf(org, keyOf(id))).toMatchObject({ agentIds: new Set([agent]), scopes: new Set(['runs:read']) })
  await world.sql('update api_keys set revoked_at = app_now() where id = $1', [toUuid(id as `key_${string}`)])
  expect(await callerOf(org, keyOf(id))).toBeNull()
  const other = await world.newOrg()
  await world.sql('update api_keys set expires_at = app_now() where id = $1', [toUuid(other.id as `key_${string}`)])
  expect(await callerOf(other.org, keyOf(other.id))).toBeNull()
  expect(await callerOf(org, keyOf(other.id))).toBeNull()
})

test('a rotated key is followed to its successor when its grace period is over', async () => {
  const { org, id, ctx } = await world.newOrg()
  const { body: heir } = await world.access.keys.rotate(ctx, id as `key_${string}`)
  expect(await callerOf(org, keyOf(id))).toMatchObject({ actor: { id } })
  await moveDatabaseClock(world.database.ownerUrl, 86_400_000 * 30)
  expect(await callerOf(org, keyOf(id))).toMatchObject({ actor: { id: heir.id } })
})

test('a member acts with the scopes of the present role, and not at all after leaving', async () => {
  const { org } = await world.newOrg()
  const [user, member] = [toUuid(newId('usr')), toUuid(newId('mem'))]
  const owner = toUuid(newId('usr'))
  for (const id of [owner, user])
    await world.sql(`insert into users (id, email, name) values ($1, $2, 'Ada')`, [id, `${id}@example.com`])
  await world.sql(`insert into members (id, org_id, user_id, role) values ($1, $2, $3, 'owner')`, [
    toUuid(newId('mem')),
    org,
    owner,
  ])
  await world.sql(`insert into members (id, org_id, user_id, role) values ($1, $2, $3, 'developer')`, [
    member,
    org,
    user,
  ])
  const creator = { type: 'user', id: user } as const
  expect((await callerOf(org, creator))?.scopes.has('runs:write')).toBe(true)
  await world.sql(`update members set role = 'viewer' where id = $1`, [member])
  expect((await callerOf(org, creator))?.scopes.has('runs:write')).toBe(false)
  await world.sql('delete from members where id = $1', [member])
  expect(await callerOf(org, creator)).toBeNull()
})

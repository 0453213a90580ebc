import type { Scope } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld, refusal } from '../../test/access-world.ts'
import type { Ctx } from '../ctx.ts'
import { accessBounds } from './bounds.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const hour = 3_600_000
const manage: Scope[] = ['keys:read', 'keys:write', 'runs:read']
const at = (ms: number): string => new Date(Date.now() + ms).toISOString()

/** An organisation with a key that ends in an hour, and its caller. */
const endingKey = async (changes: { expires_at?: string } = {}) => {
  const owner = await world.newOrg()
  const expires_at = changes.expires_at ?? at(hour)
  const made = (await world.access.keys.create(owner.ctx, { name: 'short', scopes: manage, expires_at })).body
  return { owner, ending: made, expires_at, ctx: await world.ctxOf(made.key ?? '') }
}

describe('a key that ends', () => {
  test('creates no key that lasts longer, and names the latest end', async () => {
    const { ctx, expires_at } = await endingKey()
    const create = (expires?: string | null) =>
      world.access.keys.create(ctx, { name: 'child', scopes: ['runs:read'], expires_at: expires })
    for (const expires of [undefined, null, at(2 * hour)]) {
      expect(await refusal(create(expires))).toMatchObject({
        code: 'forbidden',
        param: 'expires_at',
        message: expect.stringContaining(expires_at),
      })
    }
    expect((await create(expires_at)).body.expires_at).toBe(expires_at)
  })

  test('lengthens neither itself nor another key', async () => {
    const { owner, ctx, ending, expires_at } = await endingKey()
    const shorter = await world.access.keys.create(ctx, {
      name: 'child',
      scopes: ['runs:read'],
      expires_at: at(60_000),
    })
    for (const id of [ending.id, shorter.body.id]) {
      for (const longer of [null, at(2 * hour)]) {
        expect(await refusal(world.access.keys.update(ctx, { id, expires_at: longer }))).toMatchObject({
          code: 'forbidden',
          param: 'expires_at',
        })
      }
    }
    const grown = await world.access.keys.update(ctx, { id: shorter.body.id, expires_at })
    expect(grown.expires_at).toBe(expires_at)
    expect(await world.access.keys.update(owner.ctx, { id: ending.id, expires_at: null })).toMatchObject({
      expires_at: null,
    })
  })

  test('gives no scope and no agent to a key that lasts longer, but may take from it', async () => {
    const { owner, ctx } = await endingKey()
    const one = await world.newAgent(owner.org)
    const body = { name: 'lasting', scopes: ['runs:read'], agent_ids: [one] }
    const { id } = (await world.access.keys.create(owner.ctx, body)).body
    for (const wider of [{ scopes: ['runs:read', 'keys:read'] }, { agent_ids: null }]) {
      expect(await refusal(world.access.keys.update(ctx, { id, ...wider }))).toMatchObject({ code: 'forbidden' })
    }
    const day = at(24 * hour)
    expect(await world.access.keys.update(ctx, { id, expires_at: day })).toMatchObject({ expires_at: day })
  })

  test('rotates itself and keys that end before it, and no other', async () => {
    const { owner, ctx, ending, expires_at } = await endingKey()
    const lasting = (await world.access.keys.create(owner.ctx, { name: 'lasting', scopes: ['runs:read'] })).body
    expect(await refusal(world.access.keys.rotate(ctx, lasting.id))).toMatchObject({ code: 'forbidden' })
    expect((await world.access.keys.rotate(ctx, ending.id)).body.expires_at).toBe(expires_at)
  })
})

test('a rotated key creates nothing beyond its grace period', async () => {
  const owner = await world.newOrg()
  const old = (await world.access.keys.create(owner.ctx, { name: 'old', scopes: manage })).body
  const ctx = await world.ctxOf(old.key ?? '')
  await world.access.keys.rotate(owner.ctx, old.id)
  const { grace_until } = await world.access.keys.get(owner.ctx, old.id)
  const create = (expires_at: string | null) =>
    world.access.keys.create(ctx, { name: 'child', scopes: ['runs:read'], expires_at })
  expect(await refusal(create(null))).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining(grace_until ?? ''),
  })
  expect((await create(grace_until)).body.expires_at).toBe(grace_until)
})

test('a request that was admitted before its key was revoked creates no key afterwards', async () => {
  const { owner, ctx, ending, expires_at } = await endingKey()
  await world.access.keys.revoke(owner.ctx, ending.id)
  const create = world.access.keys.create(ctx, { name: 'late', scopes: ['runs:read'], expires_at })
  expect(await refusal(create)).toMatchObject({ code: 'unauthorized' })
})

describe('revoking with descendants', () => {
  /** root → child → grandchild; root was rotated to heir, and heir created one more. */
  const family = async () => {
    const owner = await world.newOrg()
    const make = async (ctx: Ctx, name: string) => {
      const { id, key } = (await world.access.keys.create(ctx, { name, scopes: manage })).body
      return { id, key: key ?? '', ctx: await world.ctxOf(key ?? '') }
    }
    const root = await make(owner.ctx, 'root')
    const child = await make(root.ctx, 'child')
    const grandchild = await make(child.ctx, 'grandchild')
    const heir = (await world.access.keys.rotate(owner.ctx, root.id)).body
    const ofHeir = await make(await world.ctxOf(heir.key ?? ''), 'of heir')
    const sibling = await make(owner.ctx, 'sibling')
    const below = [child.id, grandchild.id, heir.id, ofHeir.id]
    return { owner, root, child, grandchild, heir, ofHeir, sibling, below }
  }
  const works = async (key: string | null): Promise<boolean> => (await world.access.authenticate(key ?? '')) !== null

  test('ends every key below: those it created, its successor, and theirs, with an audit entry each', async () => {
    const { owner, root, child, grandchild, heir, ofHeir, sibling, below } = await family()
    const revoked = await world.access.keys.revoke(owner.ctx, root.id, { descendants: true })
    expect(revoked).toMatchObject({ id: root.id, revoked_at: expect.any(String), descendants_revoked: 4 })
    for (const { key } of [root, child, grandchild, heir, ofHeir]) expect(await works(key)).toBe(false)
    expect(await works(sibling.key)).toBe(true)
    const audited = await world.sql<{ subject: string }>(
      `select subject from audit_log where org_id = $1 and action = 'api_key.revoked'`,
      [owner.org],
    )
    expect(audited.map(({ subject }) => subject).sort()).toEqual([root.id, ...below].sort())
    expect(await world.access.keys.revoke(owner.ctx, root.id, { descendants: true })).toMatchObject({
      descendants_revoked: 0,
    })
  })

  test('reaches keys below one that was revoked before without them', async () => {
    const { owner, root, child, grandchild, heir } = await family()
    expect(await world.access.keys.revoke(owner.ctx, root.id)).toMatchObject({ descendants_revoked: 0 })
    expect(await works(child.key)).toBe(true)
    await world.access.keys.revoke(owner.ctx, child.id)
    expect(await works(grandchild.key)).toBe(true)
    expect(await world.access.keys.revoke(owner.ctx, root.id, { descendants: true })).toMatchObject({
      descendants_revoked: 3,
    })
    for (const { key } of [grandchild, heir]) expect(await works(key)).toBe(false)
  })

  test('misses no key that is being created at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, root, child } = await family()
      const creating = Array.from({ length: 4 }, () =>
        world.access.keys
          .create(child.ctx, { name: 'late', scopes: ['runs:read'] })
          .then(({ body }) => body.key)
          .catch(() => null),
      )
      await world.access.keys.revoke(owner.ctx, root.id, { descendants: true })
      for (const key of await Promise.all(creating)) expect(await works(key)).toBe(false)
    }
  })
})

test('the keys of a creator are listed, page by page', async () => {
  const owner = await world.newOrg()
  const root = (await world.access.keys.create(owner.ctx, { name: 'root', scopes: manage })).body
  const ctx = await world.ctxOf(root.key ?? '')
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    ids.unshift((await world.access.keys.create(ctx, { name, scopes: ['runs:read'] })).body.id)
  }
  const list = (page: object) => world.access.keys.list(owner.ctx, { created_by: root.id, ...page })
  expect((await list({})).data.map(({ id }) => id)).toEqual(ids)
  expect((await list({ limit: 1, after: ids[0] })).data.map(({ id }) => id)).toEqual([ids[1]])
  expect((await list({ limit: 1, before: ids[2] })).data.map(({ id }) => id)).toEqual([ids[1]])
  expect((await world.access.keys.list(owner.ctx, { created_by: newId('usr') })).data).toEqual([])
})

describe('the longest life of keys', () => {
  const limited = async (days: number) => {
    const owner = await world.newOrg()
    const before = (await world.access.keys.create(owner.ctx, { name: 'before', scopes: manage })).body
    await world.access.setKeyLifetime(owner.org, days)
    return { owner, before }
  }
  const day = 24 * hour

  test('is enforced at creation, for people, keys and the operator', async () => {
    const { owner } = await limited(30)
    const create = (expires_at?: string | null) =>
      world.access.keys.create(owner.ctx, { name: 'new', scopes: ['runs:read'], expires_at })
    for (const expires of [undefined, null, at(31 * day)]) {
      expect(await refusal(create(expires))).toMatchObject({
        code: 'input_invalid',
        param: 'expires_at',
        message: expect.stringContaining('30 days'),
      })
    }
    expect((await create(at(29 * day))).body.expires_at).not.toBeNull()
    expect(await refusal(world.access.createKey(owner.org, { name: 'operator' }))).toMatchObject({
      code: 'input_invalid',
    })
  })

  test('is set and lifted by the operator, within bounds, and audited', async () => {
    const { owner } = await limited(30)
    for (const wrong of [0, 1.5, accessBounds.keyLife.days + 1]) {
      expect(await refusal(world.access.setKeyLifetime(owner.org, wrong))).toMatchObject({ code: 'input_invalid' })
    }
    expect(await refusal(world.access.setKeyLifetime(toUuid(newId('org')), 1))).toMatchObject({ code: 'not_found' })
    await world.access.setKeyLifetime(owner.org, null)
    expect(
      (await world.access.keys.create(owner.ctx, { name: 'free', scopes: ['runs:read'] })).body.expires_at,
    ).toBeNull()
    const audited = await world.sql<{ after: unknown }>(
      `select after from audit_log where org_id = $1 and action = 'organisation.key_policy_changed' order by number`,
      [owner.org],
    )
    expect(audited.map(({ after }) => after)).toEqual([{ max_key_lifetime_days: 30 }, { max_key_lifetime_days: null }])
  })

  test('gives a rotated key an end and lets no change exceed it, and ends no key that exists', async () => {
    const { owner, before } = await limited(30)
    expect(await world.access.authenticate(before.key ?? '')).not.toBeNull()
    const heir = (await world.access.keys.rotate(owner.ctx, before.id)).body
    const leftDays = (new Date(heir.expires_at ?? 0).getTime() - new Date(heir.created_at).getTime()) / day
    expect(leftDays).toBeCloseTo(30, 3)
    const change = (expires_at: string | null) => world.access.keys.update(owner.ctx, { id: heir.id, expires_at })
    expect(await refusal(change(null))).toMatchObject({ code: 'input_invalid' })
    expect(await change(at(10 * day))).toMatchObject({ id: heir.id })
    expect(await refusal(change(at(31 * day)))).toMatchObject({ code: 'input_invalid' })
    // The life counts from the creation: it cannot be extended again and again.
    await world.sql(`update api_keys set created_at = created_at - interval '20 days' where id = $1`, [toUuid(heir.id)])
    expect(await refusal(change(at(11 * day)))).toMatchObject({ code: 'input_invalid' })
  })
})

import { limits, type Scope, scopes } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { operatorName } from '@ars/platform/operator-name'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld, refusal } from '../../test/access-world.ts'

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const hour = 3_600_000
const aKey = { name: 'CI', scopes: ['runs:read', 'runs:write'] }
const auditOf = (org: string) =>
  world.sql<{ action: string; subject: string; actor_id: string | null; before: unknown; after: unknown }>(
    'select action, subject, actor_id, before, after from audit_log where org_id = $1 order by number',
    [org],
  )

test('a new key is shown in full once, works, and is stored without its secret', async () => {
  const { org, id, ctx } = await world.newOrg()
  const made = await world.access.keys.create(ctx, { ...aKey, name: '<b>&"\u2028' })
  expect(made.headers.location).toBe(`/v2/api-keys/${made.body.id}`)
  expect(made.body).toMatchObject({
    object: 'api_key',
    name: '<b>&"\u2028',
    kind: 'live',
    prefix: 'ars_live_',
    hint: made.body.key?.slice(-4),
    scopes: ['runs:read', 'runs:write'],
    agent_ids: null,
    expires_at: null,
    last_used_at: null,
    created_by: id,
    revoked_at: null,
    rotated_to: null,
    grace_until: null,
    exposed_at: null,
  })
  expect(await world.access.authenticate(made.body.key ?? '')).toEqual({
    org,
    organisation: { name: expect.any(String), plan: 'business', maxKeyLifetimeDays: null },
    actor: { type: 'key', id: made.body.id },
    credential: 'key',
    scopes: new Set(['runs:read', 'runs:write']),
    agentIds: null,
    runId: null,
    policySetId: null,
    runOwner: null,
    isDemo: false,
    bucket: { id: toUuid(made.body.id), requestsPerMinute: 10_000, burst: 15_000 },
    retiring: null,
    sessionId: null,
  })
  const { key, ...record } = made.body
  expect(await world.access.keys.get(ctx, made.body.id)).toEqual(record)
  const { data } = await world.access.keys.list(ctx, {})
  expect(data.map((each) => each.id)).toEqual([made.body.id, id])
  expect(JSON.stringify(data)).not.toContain(key)
})

test('keys are paged newest first, forwards and backwards', async () => {
  const { ctx } = await world.newOrg()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) ids.unshift((await world.access.keys.create(ctx, { ...aKey, name })).body.id)
  const first = await world.access.keys.list(ctx, { limit: 2 })
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  expect(first.has_more).toBe(true)
  const second = await world.access.keys.list(ctx, { limit: 2, after: first.data[1]?.id })
  expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
  const back = await world.access.keys.list(ctx, { limit: 2, before: second.data[0]?.id })
  expect(back.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
})

test('a repeated request with the same idempotency key creates one key, and the secret is not repeated', async () => {
  const { key, ctx } = await world.newOrg()
  const again = await world.ctxOf(key, 'once')
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.access.keys.create(again, aKey)))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ body }) => body.key !== null)).toHaveLength(1)
  const replays = answers.filter(({ body }) => body.key === null)
  expect(replays.map(({ headers }) => headers['idempotency-replayed'])).toEqual(replays.map(() => 'true'))
  expect((await world.access.keys.findReplay(again, aKey))?.body.key).toBeNull()
  expect(await refusal(world.access.keys.create(again, { ...aKey, name: 'other' }))).toMatchObject({
    code: 'idempotency_key_reused',
  })
  const { id } = (await world.access.keys.list(ctx, {})).data[0] as { id: `key_${string}` }
  expect(await refusal(world.access.keys.rotate(again, id))).toMatchObject({ code: 'idempotency_key_reused' })
  expect((await world.access.keys.list(ctx, {})).data).toHaveLength(2)
})

test.each([['*'], ['runs:*'], ['runs:delete']])('the scope %s is unknown', async (scope) => {
  const { ctx } = await world.newOrg()
  expect(await refusal(world.access.keys.create(ctx, { ...aKey, scopes: ['runs:read', scope] }))).toMatchObject({
    code: 'scope_unknown',
    param: 'scopes',
  })
})

test('a key cannot grant a scope that its creator lacks, on any creation path', async () => {
  const { org, ctx } = await world.newOrg()
  const few: Scope[] = ['keys:read', 'keys:write', 'runs:read']
  const strong = (await world.access.keys.create(ctx, aKey)).body
  const weak = await world.ctxOf((await world.access.createKey(org, { name: 'weak', scopes: few })).key)
  const own = (await world.access.keys.create(weak, { name: 'own', scopes: ['runs:read'] })).body

  expect(await refusal(world.access.keys.create(weak, aKey))).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('runs:write'),
  })
  expect(await refusal(world.access.keys.update(weak, { id: own.id, scopes: ['runs:write'] }))).toMatchObject({
    code: 'forbidden',
  })
  expect(await refusal(world.access.keys.update(weak, { id: strong.id, scopes: ['runs:read'] }))).toMatchObject({
    code: 'forbidden',
  })
  expect(await refusal(world.access.keys.rotate(weak, strong.id))).toMatchObject({ code: 'forbidden' })
  const soon = new Date(Date.now() + hour).toISOString()
  expect(await refusal(world.access.keys.update(weak, { id: strong.id, expires_at: soon }))).toMatchObject({
    code: 'forbidden',
  })
  // Renaming or revoking a key grants nothing, and could still switch off what the caller must not touch.
  expect(await refusal(world.access.keys.update(weak, { id: strong.id, name: 'theirs' }))).toMatchObject({
    code: 'forbidden',
  })
  expect(await refusal(world.access.keys.revoke(weak, strong.id))).toMatchObject({ code: 'forbidden' })
  expect(await world.access.keys.revoke(weak, own.id)).toMatchObject({ revoked_at: expect.any(String) })
})

test('a key narrowed to some agents creates only keys narrowed to a subset of them', async () => {
  const { org, ctx } = await world.newOrg()
  const [one, two, three] = [await world.newAgent(org), await world.newAgent(org), await world.newAgent(org)]
  const narrowed = await world.access.keys.create(ctx, { name: 'n', scopes: [...scopes], agent_ids: [one, two, one] })
  expect(narrowed.body.agent_ids).toEqual([one, two])
  const caller = await world.ctxOf(narrowed.body.key ?? '')
  expect(caller.agentIds).toEqual(new Set([toUuid(one), toUuid(two)]))

  const create = (agent_ids?: `ag_${string}`[] | null) => world.access.keys.create(caller, { ...aKey, agent_ids })
  for (const asked of [undefined, null, [three], [one, three]]) {
    expect(await refusal(create(asked))).toMatchObject({ code: 'forbidden', param: 'agent_ids' })
  }
  const made = (await create([two])).body
  expect(made.agent_ids).toEqual([two])
  const all = (await world.access.keys.create(ctx, aKey)).body
  expect(await refusal(world.access.keys.rotate(caller, all.id))).toMatchObject({ code: 'forbidden' })
  expect(await refusal(world.access.keys.update(caller, { id: made.id, agent_ids: null }))).toMatchObject({
    code: 'forbidden',
  })
  expect(await world.access.keys.update(ctx, { id: made.id, agent_ids: null })).toMatchObject({ agent_ids: null })
})

test('a key can be narrowed only to agents in its organisation', async () => {
  const { ctx } = await world.newOrg()
  const other = await world.newOrg()
  const theirs = await world.newAgent(other.org)
  for (const agent of [theirs, newId('ag')]) {
    expect(await refusal(world.access.keys.create(ctx, { ...aKey, agent_ids: [agent] }))).toMatchObject({
      code: 'not_found',
      param: 'agent_ids',
    })
  }
  const { id } = (await world.access.keys.create(ctx, aKey)).body
  expect(await refusal(world.access.keys.update(ctx, { id, agent_ids: [theirs] }))).toMatchObject({ code: 'not_found' })
})

test('a key of another organisation is not found', async () => {
  const { ctx } = await world.newOrg()
  const { id } = (await world.newOrg()) as { id: `key_${string}` }
  const { keys } = world.access
  for (const work of [
    () => keys.get(ctx, id),
    () => keys.update(ctx, { id, name: 'mine' }),
    () => keys.revoke(ctx, id),
    () => keys.rotate(ctx, id),
  ]) {
    expect(await refusal(work())).toMatchObject({ code: 'not_found' })
  }
})

test('demo keys hold few scopes, have a low rate on every plan and grant no more than they hold', async () => {
  const { org, ctx } = await world.newOrg()
  const demo = (await world.access.keys.create(ctx, { ...aKey, kind: 'demo' })).body
  expect(demo).toMatchObject({ kind: 'demo', prefix: 'ars_demo_' })
  const caller = await world.ctxOf(demo.key ?? '')
  expect(caller).toMatchObject({ isDemo: true, bucket: { id: toUuid(demo.id), requestsPerMinute: 10, burst: 15 } })

  const refused = { code: 'input_invalid', param: 'scopes' }
  const large = ['runs:read', 'connectors:read']
  expect(await refusal(world.access.keys.create(ctx, { name: 'd', kind: 'demo', scopes: large }))).toMatchObject(
    refused,
  )
  expect(await refusal(world.access.keys.update(ctx, { id: demo.id, scopes: large }))).toMatchObject(refused)
  expect(await refusal(world.access.createKey(org, { name: 'd', kind: 'demo', scopes: ['keys:write'] }))).toMatchObject(
    refused,
  )
  expect(await refusal(world.access.keys.create(caller, aKey))).toMatchObject({ code: 'forbidden', param: 'kind' })
  const byOperator = await world.access.createKey(org, { name: 'd', kind: 'demo' })
  expect((await world.ctxOf(byOperator.key)).scopes).toEqual(
    new Set(['runs:read', 'runs:write', 'agents:read', 'usage:read']),
  )
})

test('an update keeps omitted fields, clears null fields and refuses an expiry in the past', async () => {
  const { org, ctx } = await world.newOrg()
  const agent = await world.newAgent(org)
  const expires_at = new Date(Date.now() + hour).toISOString()
  const { id } = (await world.access.keys.create(ctx, { ...aKey, agent_ids: [agent], expires_at })).body
  const { keys } = world.access
  expect(await keys.update(ctx, { id, name: 'new' })).toMatchObject({
    name: 'new',
    scopes: aKey.scopes,
    agent_ids: [agent],
    expires_at,
  })
  expect(await keys.update(ctx, { id, scopes: ['runs:read'] })).toMatchObject({ name: 'new', scopes: ['runs:read'] })
  expect(await keys.update(ctx, { id, agent_ids: null, expires_at: null })).toMatchObject({
    agent_ids: null,
    expires_at: null,
  })
  const past = new Date(Date.now() - 1_000).toISOString()
  const refused = { code: 'input_invalid', param: 'expires_at' }
  expect(await refusal(keys.update(ctx, { id, expires_at: past }))).toMatchObject(refused)
  expect(await refusal(keys.create(ctx, { ...aKey, expires_at: past }))).toMatchObject(refused)
})

test('revoking a key is permanent, idempotent and audited once', async () => {
  const { org, ctx } = await world.newOrg()
  const made = (await world.access.keys.create(ctx, aKey)).body
  const first = await world.access.keys.revoke(ctx, made.id)
  expect(await world.access.keys.revoke(ctx, made.id)).toEqual(first)
  expect(await world.access.authenticate(made.key ?? '')).toBeNull()
  for (const work of [
    () => world.access.keys.rotate(ctx, made.id),
    () => world.access.keys.update(ctx, { id: made.id, name: 'back' }),
  ]) {
    expect(await refusal(work())).toMatchObject({ code: 'key_not_active' })
  }
  expect((await auditOf(org)).filter(({ action }) => action === 'api_key.revoked')).toHaveLength(1)
})

test('a rotated key has one successor with the same rights and rate bucket, and can be rotated once', async () => {
  const { org, ctx } = await world.newOrg()
  const agent = await world.newAgent(org)
  const expires_at = new Date(Date.now() + 48 * hour).toISOString()
  const old = (await world.access.keys.create(ctx, { ...aKey, agent_ids: [agent], expires_at })).body
  const twice = await Promise.allSettled([world.access.keys.rotate(ctx, old.id), world.access.keys.rotate(ctx, old.id)])
  const [made] = twice.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body] : []))
  const [lost] = twice.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  expect(lost).toMatchObject({ code: 'key_not_active' })
  if (!made) throw new Error('neither rotation has passed')
  expect(made).toMatchObject({ name: old.name, scopes: old.scopes, agent_ids: [agent], expires_at, kind: 'live' })

  const record = await world.access.keys.get(ctx, old.id)
  expect(record).toMatchObject({ rotated_to: made.id, revoked_at: null })
  const [before, after] = await Promise.all([world.ctxOf(old.key ?? ''), world.ctxOf(made.key ?? '')])
  expect(after.bucket).toEqual(before.bucket)
  expect(after.retiring).toBeNull()
  expect(before.retiring?.until.toISOString()).toBe(record.grace_until)
  expect(Number(before.retiring?.until) - Number(before.retiring?.since)).toBe(24 * hour)

  const third = (await world.access.keys.rotate(ctx, made.id)).body
  expect((await world.ctxOf(third.key ?? '')).bucket).toEqual(before.bucket)
})

test('the limit of active keys per organisation is exact, also under concurrent creation', async () => {
  const { org, id, ctx } = await world.newOrg()
  const fill = (count: number, rest: string) =>
    world.sql(
      `insert into api_keys (id, org_id, name, hash, prefix, hint, scopes, revoked_at, expires_at, rotated_at, rotated_to,
         grace_until)
       select gen_random_uuid(), $1, 'filler', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'ars_live_', 'xxxx',
              '{runs:read}', ${rest} from generate_series(1, $2::integer)`,
      [org, count],
    )
  const past = `app_now() - interval '1 second'`
  await fill(limits.keysPerOrganisation - 4, 'null, null, null, null, null')
  // Inactive keys do not count.
  await fill(5, `${past}, null, null, null, null`)
  await fill(5, `null, ${past}, null, null, null`)
  await fill(5, `null, null, ${past}, gen_random_uuid(), ${past}`)
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => world.access.keys.create(ctx, aKey)))
  const made = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body] : []))
  expect(made).toHaveLength(3)
  for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'limit_reached' })
  expect(await refusal(world.access.keys.rotate(ctx, id as `key_${string}`))).toMatchObject({ code: 'limit_reached' })
  // Not any key of the list: one in seventy of the fillers is inactive already.
  await world.access.keys.revoke(ctx, made[0]?.id as `key_${string}`)
  expect((await world.access.keys.create(ctx, aKey)).body.key).toMatch(/^ars_live_/)
})

test('every change to a key is audited with its actor and the previous values, without any secret', async () => {
  const { org, id, ctx } = await world.newOrg()
  const made = (await world.access.keys.create(ctx, aKey)).body
  await world.access.keys.update(ctx, { id: made.id, name: 'Deploy' })
  await world.access.keys.update(ctx, { id: made.id, name: 'Deploy' })
  const heir = (await world.access.keys.rotate(ctx, made.id)).body
  await world.access.keys.revoke(ctx, heir.id)
  const log = await auditOf(org)
  expect(log.map(({ action, subject, actor_id }) => [action, subject, actor_id])).toEqual([
    ['organisation.created', expect.stringMatching(/^org_/), operatorName()],
    ['api_key.created', id, operatorName()],
    ['api_key.created', made.id, id],
    ['api_key.updated', made.id, id],
    ['api_key.rotated', made.id, id],
    ['api_key.revoked', heir.id, id],
  ])
  expect(log[3]).toMatchObject({ before: { name: 'CI' }, after: { name: 'Deploy' } })
  expect(JSON.stringify(log)).not.toMatch(/ars_(live|demo)_\w/)
})

test('a refused operation creates neither a key nor an audit entry', async () => {
  const { org, ctx } = await world.newOrg()
  const before = await auditOf(org)
  const past = new Date(Date.now() - 1_000).toISOString()
  await refusal(world.access.keys.create(ctx, { ...aKey, expires_at: past }))
  expect(await auditOf(org)).toEqual(before)
  expect((await world.access.keys.list(ctx, {})).data).toHaveLength(1)
})

// The last test, because it moves the clock of the shared database.
test('an expired key and a key past its grace period can be neither changed nor rotated', async () => {
  const { ctx } = await world.newOrg()
  const expires_at = new Date(Date.now() + hour).toISOString()
  const mortal = (await world.access.keys.create(ctx, { ...aKey, expires_at })).body
  const rotated = (await world.access.keys.create(ctx, aKey)).body
  await world.access.keys.rotate(ctx, rotated.id)
  await world.access.keys.update(ctx, { id: rotated.id, name: 'still there' })
  await moveDatabaseClock(world.database.ownerUrl, 25 * hour)
  for (const { id } of [mortal, rotated]) {
    expect(await refusal(world.access.keys.rotate(ctx, id))).toMatchObject({ code: 'key_not_active' })
    expect(await refusal(world.access.keys.update(ctx, { id, name: 'x' }))).toMatchObject({ code: 'key_not_active' })
  }
  // By the clock of the database this is in the past, whatever the clock of this process says.
  const tomorrow = new Date(Date.now() + 24 * hour).toISOString()
  expect(await refusal(world.access.keys.create(ctx, { ...aKey, expires_at: tomorrow }))).toMatchObject({
    code: 'input_invalid',
  })
})

import { createSecretKey, randomBytes } from 'node:crypto'
import { openDatabase } from '@ars/platform/db/database'
import { createKeyring } from '@ars/platform/envelope'
import { fromUuid, uuidFloor } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccessWorld, newId, openAccessWorld } from '../../../test/access-world.ts'
import { deleteOldRows } from '../../../test/delete-old-rows.ts'
import { testSchemas, testThreads } from '../../schemas/schemas.fixture.ts'
import { createSecrets } from '../../secrets/index.ts'
import { createExpressions } from '../expression/expression.service.ts'
import type { SetEntry } from '../guard/policy-set.ts'
import { createAttachments } from './attachment.service.ts'
import { createPolicies } from './policy.service.ts'

const keyring = createKeyring({ keks: [{ id: 'k1', key: createSecretKey(randomBytes(32)) }], activeKekId: 'k1' })
let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world.close())

const services = () => {
  const { app, access } = world
  const secrets = createSecrets({ app, keyring })
  const shared = { app, secrets, newId, onChanged: access.forget }
  const agents = { get: () => Promise.reject(new Error('No agent is named here')) }
  const models = { find: () => null }
  const egress = { checkTarget: async () => ({ ok: false, reason: 'No address may be called here' }) as const }
  const ownUrl = new URL('https://ars.example.com')
  const threads = testThreads()
  const outside = { egress, ownUrl, keyring, threads, expressions: createExpressions({ threads }) }
  return {
    policies: createPolicies({ ...shared, schemas: testSchemas(), models, ...outside }),
    attachments: createAttachments({ ...shared, agents, keys: access.keys }),
  }
}

const setsOf = (org: string) =>
  world.sql<{ id: string; entries: SetEntry[] }>('select id, entries from policy_sets where org_id = $1 order by id', [
    org,
  ])

test('the next request of a key carries the new set, and null when nothing is attached any more', async () => {
  const { org, key, ctx } = await world.newOrg()
  const { policies, attachments } = services()
  const setOf = async () => (await world.access.authenticate(key))?.policySetId
  const { body: policy } = await policies.create(ctx, { mode: 'enforce', template: 'secrets-block' })
  expect(await setOf()).toBeNull()
  const { id } = policy
  const asked = { id, subject_id: fromUuid('org', org), new_runs_only: false }
  const { body: attachment } = await attachments.attach(ctx, asked)
  const first = await setOf()
  expect((await setsOf(org)).map((set) => set.id)).toEqual([first])
  await policies.update(ctx, { id, name: 'Another name' })
  expect(await setOf()).toBe(first)
  await policies.update(ctx, { id, mode: 'shadow' })
  expect(await setOf()).not.toBe(first)
  await attachments.detach(ctx, { id, attachment_id: attachment.id })
  expect([await setOf(), (await setsOf(org)).length]).toEqual([null, 2])
})

test('concurrent changes are in order: the last set contains all of them', async () => {
  const { org, key, ctx } = await world.newOrg()
  const { policies, attachments } = services()
  const made = await Promise.all(
    Array.from({ length: 8 }, () => policies.create(ctx, { mode: 'enforce', template: 'secrets-block' })),
  )
  await Promise.all(
    made.map(({ body: { id } }) =>
      attachments.attach(ctx, { id, subject_id: fromUuid('org', org), new_runs_only: false }),
    ),
  )
  const current = (await world.access.authenticate(key))?.policySetId
  const sets = await setsOf(org)
  expect(sets.find(({ id }) => id === current)?.entries).toHaveLength(8)
  expect(new Set(sets.map(({ entries }) => entries.length)).size).toBe(8)
})

test('an organisation has at most 500 rules in force (limits.rulesInForce)', async () => {
  const { org, ctx } = await world.newOrg()
  const { policies, attachments } = services()
  const rule = {
    check: 'keywords',
    stages: ['input'],
    action: 'flag',
    params: { words: ['x'], whole_words: true },
  } as const
  const rules = Array.from({ length: 50 }, () => ({
    ...rule,
    stages: [...rule.stages],
    params: { ...rule.params, words: ['x'] },
  }))
  const attachOne = async () => {
    const { body } = await policies.create(ctx, { mode: 'enforce', name: 'Many rules', rules })
    return attachments.attach(ctx, { id: body.id, subject_id: fromUuid('org', org), new_runs_only: false })
  }
  for (let count = 0; count < 10; count++) await attachOne()
  await expect(attachOne()).rejects.toMatchObject({ code: 'limit_reached' })
  expect(await setsOf(org)).toHaveLength(10)
})

test('a set is deleted when it was replaced a day before the oldest run, in every organisation', async () => {
  const system = openDatabase({
    url: world.database.systemUrl,
    name: 'test-system',
    size: 1,
    log: createLog({ level: 'silent' }),
    acquireTimeoutMs: 30_000,
  })
  const { policies, attachments } = services()
  const orgs = await Promise.all([world.newOrg(), world.newOrg()])
  const made: { org: string; sets: string[] }[] = []
  for (const { org, ctx } of orgs) {
    const { body } = await policies.create(ctx, { mode: 'enforce', template: 'secrets-block' })
    await attachments.attach(ctx, { id: body.id, subject_id: fromUuid('org', org), new_runs_only: false })
    await policies.update(ctx, { id: body.id, mode: 'shadow' })
    made.push({ org, sets: (await setsOf(org)).map(({ id }) => id) })
  }
  const [first, second] = made as [(typeof made)[0], (typeof made)[0]]
  expect([first.sets.length, second.sets.length]).toEqual([2, 2])
  const left = async () => {
    await deleteOldRows(system)
    return Promise.all(made.map(async ({ org }) => (await setsOf(org)).map(({ id }) => id)))
  }
  const replacedAgo = (org: string, hours: number) =>
    world.sql(
      'update policy_sets set replaced_at = app_now() - make_interval(hours => $2) where org_id = $1 and replaced_at is not null',
      [org, hours],
    )

  // A run of an hour ago may use what was replaced a day and half an hour ago, and nothing older.
  const run = uuidFloor(new Date(Date.now() - 3_600_000))
  await world.sql(
    `insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds, policy_set_id) values (2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', $1, $2, $3, 1, '{}', 60, $4)`,
    [run, second.org, run, second.sets[0]],
  )
  await replacedAgo(second.org, 24)
  expect(await left()).toEqual([first.sets, second.sets])
  await replacedAgo(first.org, 26)
  expect(await left()).toEqual([first.sets.slice(1), second.sets])
  // The run is deleted, and the set with it. The sets that are in force stay.
  await world.sql('delete from runs where id = $1', [run])
  await replacedAgo(second.org, 25)
  expect(await left()).toEqual([first.sets.slice(1), second.sets.slice(1)])
  await system.close()
})

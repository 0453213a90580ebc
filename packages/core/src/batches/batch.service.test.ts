import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Tenant } from '../../test/admission-world.ts'
import { type BatchWorld, openBatchWorld } from '../../test/batch-world.ts'
import { unguardedTexts } from '../../test/unguarded-texts.ts'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { type BatchService, createBatches } from './batch.service.ts'
import { findBatch } from './batch.store.ts'

const newId = createIdMaker(systemClock)
let world: BatchWorld
let batches: BatchService
beforeAll(async () => {
  world = await openBatchWorld()
  batches = createBatches({
    app: world.app,
    newId,
    texts: unguardedTexts,
    storageLimits: { free: 1_000, pro: 1_000, business: 1_000, enterprise: 1_000 },
    agents: {
      get: async (_ctx, id) => ({ id: agents.get(id) ?? '', status: archived.has(id) ? 'archived' : 'active' }),
      allowedAgent: async (_ctx, within) => within,
    },
  })
})
afterAll(() => world.close())
beforeEach(() => world.clear())

const agents = new Map<string, string>()
const archived = new Set<string>()
const everyAgent = { ids: null, runOwner: null } as AllowedAgents

const callerOf = ({ org }: Tenant, over: Partial<Ctx> = {}): Ctx =>
  ({
    org,
    actor: { type: 'key', id: newId('key') },
    bucket: { id: org, requestsPerMinute: 1, burst: 1 },
    policySetId: null,
    agentIds: null,
    runOwner: null,
    runId: null,
    isDemo: false,
    address: '127.0.0.1',
    requestId: 'req',
    ...over,
  }) as Ctx
const agentOf = ({ agentId }: Tenant) => {
  const id = fromUuid('ag', agentId)
  agents.set(id, agentId)
  return id
}
const itemsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ input: { n } }))

const finish = async (tenant: Tenant, id: string) => {
  for (let rounds = 0; rounds < 100; rounds++) {
    await world.expireLeases()
    await world.sweep()
    await world.completeAdmitted(tenant)
    const [row] = await world.query('select finished_at from batches where id = $1', [id])
    if (row?.finished_at) return
  }
}
const uuidOf = async (): Promise<string> =>
  (await world.query('select id from batches order by id desc limit 1'))[0]?.id as string

const linesOf = async (
  lines: AsyncIterable<string>,
): Promise<{ id: string; custom_id: string | null; output: unknown; status: string }[]> => {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all.map((line) => JSON.parse(line))
}

test('a batch is stored with all its items, and its results are paged and exported in the order of the items', async () => {
  const tenant = await world.addTenant(50)
  const ctx = callerOf(tenant)
  const named = itemsOf(430).map((item, n) => ({ ...item, ...(n % 2 === 0 && { custom_id: `item-${n}` }) }))
  const asked = { agent_id: agentOf(tenant), items: named, metadata: { team: 'a' } }
  const { body: created } = await batches.create(ctx, asked)
  expect(created).toMatchObject({ status: 'running', progress: { items: 430, waiting: 430, running: 0 } })
  expect(await linesOf(await batches.export(ctx, created.id, everyAgent))).toHaveLength(430)
  await finish(tenant, await uuidOf())
  const ended = await batches.get(ctx, created.id, everyAgent)
  expect(ended).toMatchObject({
    status: 'completed',
    progress: { waiting: 0, running: 0, completed: 430, failed: 0 },
  })
  const lines = await linesOf(await batches.export(ctx, created.id, everyAgent))
  expect(lines.map(({ id, custom_id, output }) => [id, custom_id, output])).toEqual(
    named.map(({ custom_id = null }, n) => [String(n), custom_id, { n }]),
  )
  const page = await batches.results(ctx, { id: created.id, after: '99', limit: 3 }, everyAgent)
  expect(page).toMatchObject({ has_more: true, first_id: '100', last_id: '102' })
  expect(page.data.map(({ output }) => output)).toEqual([{ n: 100 }, { n: 101 }, { n: 102 }])
  const back = await batches.results(ctx, { id: created.id, before: '2', limit: 3 }, everyAgent)
  expect(back.data.map(({ id }) => id)).toEqual(['0', '1'])
})

test('an export reads large outputs in small pages and leaves none out', async () => {
  const tenant = await world.addTenant(20)
  const ctx = callerOf(tenant)
  const items = Array.from({ length: 8 }, (_, n) => ({ input: { n, text: 'x'.repeat(900_000) } }))
  const { body } = await batches.create(ctx, { agent_id: agentOf(tenant), items })
  await finish(tenant, await uuidOf())
  const page = await batches.results(ctx, { id: body.id }, everyAgent)
  expect(page.data.length).toBeLessThan(8)
  expect(page.has_more).toBe(true)
  const lines = await linesOf(await batches.export(ctx, body.id, everyAgent))
  expect(lines.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
})

test('a batch says why no worker starts its items, with numbers of its organisation only', async () => {
  const [tenant, other] = [await world.addTenant(5), await world.addTenant(5)]
  const create = async (by: Tenant) =>
    (await batches.create(callerOf(by), { agent_id: agentOf(by), items: itemsOf(40) })).body.id
  const [first, second, last] = [await create(tenant), await create(tenant), await create(tenant)]
  await create(other)
  const waiting = async (id: typeof first) => (await batches.get(callerOf(tenant), id, everyAgent)).waiting
  expect(await waiting(last)).toEqual({
    reason: 'turn',
    message: 'It waits for its turn: workers work on 0 of your batches now, and 3 are due.',
  })
  const hold = (id: typeof first) =>
    world.query(
      `update batches set held_until = app_now() + interval '30 s', due_at = app_now() + interval '30 s' where id = $1`,
      [toUuid(id)],
    )
  await hold(first)
  await hold(second)
  expect(await waiting(first)).toBeNull()
  expect(await waiting(last)).toEqual({
    reason: 'share',
    message: 'The share of your organisation is in use: workers work on 2 of your batches now, and 1 are due.',
  })
  // It was looked at, and the line of batches is full.
  await world.query(`update batches set due_at = app_now() + interval '2 s' where id = $1`, [toUuid(last)])
  expect(await waiting(last)).toMatchObject({ reason: 'line', message: expect.stringMatching(/^40 items wait:/) })
  const { data } = await batches.list(callerOf(tenant), {}, everyAgent)
  expect(data.map((batch) => batch.waiting?.reason ?? null)).toEqual(['line', null, null])
})

test('a narrowed key learns why its batches wait with numbers of its agents only', async () => {
  const tenant = await world.addTenant(5)
  const own = agentOf(tenant)
  const foreign = fromUuid('ag', tenant.otherAgentId)
  agents.set(foreign, tenant.otherAgentId)
  const agentIds = new Set([tenant.agentId])
  const narrowed = callerOf(tenant, { agentIds })
  const within = { ids: agentIds, runOwner: null } as unknown as AllowedAgents
  const create = async (agent_id: typeof own, by = callerOf(tenant)) =>
    (await batches.create(by, { agent_id, items: itemsOf(3) })).body
  const ofOthers = [await create(foreign), await create(foreign), await create(foreign)]
  const { id, waiting } = await create(own, narrowed)
  const turn = 'It waits for its turn: workers work on 0 of the batches of your agents now, and 1 are due.'
  expect(waiting).toEqual({ reason: 'turn', message: turn })
  expect((await batches.get(narrowed, id, within)).waiting).toEqual({ reason: 'turn', message: turn })
  for (const batch of ofOthers.slice(0, 2))
    await world.query(`update batches set held_until = app_now() + interval '30 s' where id = $1`, [toUuid(batch.id)])
  const share = {
    reason: 'share',
    message:
      'The share of your organisation is in use: workers work on 0 of the batches of your agents now, and 1 are due.',
  }
  expect((await batches.get(narrowed, id, within)).waiting).toEqual(share)
  const { data } = await batches.list(narrowed, {}, within)
  expect(data.map((batch) => [batch.id, batch.waiting])).toEqual([[id, share]])
  expect((await batches.cancel(narrowed, id, within)).waiting).toEqual(share)
})

test('a repeated request answers the same batch, and another request with its key is refused', async () => {
  const tenant = await world.addTenant(5)
  const ctx = callerOf(tenant, { idempotencyKey: 'once' })
  const asked = { agent_id: agentOf(tenant), items: itemsOf(3) }
  const answers = await Promise.all([batches.create(ctx, asked), batches.create(ctx, asked)])
  expect(answers[0]?.body.id).toBe(answers[1]?.body.id)
  expect(await world.query('select id from batches')).toHaveLength(1)
  expect(await world.query('select number from batch_items')).toHaveLength(3)
  expect((await batches.findReplay(ctx, asked))?.body.id).toBe(answers[0]?.body.id)
  await expect(batches.create(ctx, { ...asked, items: itemsOf(4) })).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  })
})

test('an organisation has at most 20 active batches, also when they are created at once (batchLimits.activeBatchesPerOrganisation)', async () => {
  const tenant = await world.addTenant(5)
  const asked = { agent_id: agentOf(tenant), items: itemsOf(1) }
  const settled = await Promise.allSettled(Array.from({ length: 25 }, () => batches.create(callerOf(tenant), asked)))
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(refused).toMatchObject(Array.from({ length: 5 }, () => ({ code: 'limit_reached' })))
  expect(await world.query('select number from batch_items')).toHaveLength(20)
})

test('an organisation that stores more than its plan allows creates no batch', async () => {
  const tenant = await world.addTenant(5)
  await world.query('update organisations set stored_bytes = 1000 where id = $1', [tenant.org])
  const asked = { agent_id: agentOf(tenant), items: itemsOf(1) }
  await expect(batches.create(callerOf(tenant), asked)).rejects.toMatchObject({ code: 'storage_exceeded' })
  expect(await world.query('select number from batch_items')).toEqual([])
})

test('archived agents have no batches, and a large one is refused', async () => {
  const tenant = await world.addTenant(5)
  const asked = { agent_id: agentOf(tenant), items: itemsOf(1) }
  const large = { ...asked, items: Array.from({ length: 33 }, () => ({ input: { text: 'x'.repeat(1_048_576) } })) }
  await expect(batches.create(callerOf(tenant), large)).rejects.toMatchObject({ code: 'body_too_large' })
  archived.add(asked.agent_id)
  await expect(batches.create(callerOf(tenant), asked)).rejects.toMatchObject({ code: 'agent_archived' })
})

test('another organisation, and a key for other agents, see nothing of a batch', async () => {
  const [tenant, stranger] = [await world.addTenant(5), await world.addTenant(5)]
  const { body } = await batches.create(callerOf(tenant), { agent_id: agentOf(tenant), items: itemsOf(2) })
  const ctx = callerOf(stranger)
  for (const read of [
    () => batches.get(ctx, body.id, everyAgent),
    () => batches.results(ctx, { id: body.id }, everyAgent),
    () => batches.export(ctx, body.id, everyAgent),
    () => batches.cancel(ctx, body.id, everyAgent),
    () => batches.erase(ctx, body.id, everyAgent),
  ]) {
    await expect(read()).rejects.toMatchObject({ code: 'not_found' })
  }
  expect((await batches.list(ctx, {}, everyAgent)).data).toEqual([])
  const narrowed = { ids: new Set([stranger.agentId]), runOwner: null } as unknown as AllowedAgents
  expect((await batches.list(callerOf(tenant), {}, narrowed)).data).toEqual([])
  await expect(batches.get(callerOf(tenant), body.id, narrowed)).rejects.toMatchObject({ code: 'forbidden' })
  expect((await batches.list(callerOf(tenant), {}, everyAgent)).data.map(({ id }) => id)).toEqual([body.id])
  expect(await findBatch(world.app, tenant.org, { id: await uuidOf(), agentIds: null })).toMatchObject({
    status: 'running',
  })
})

test('the data of an ended batch and of its runs is erased, and the record stays', async () => {
  const tenant = await world.addTenant(20)
  const ctx = callerOf(tenant)
  const asked = {
    agent_id: agentOf(tenant),
    items: itemsOf(12).map((item, n) => ({ ...item, custom_id: `anna-${n}` })),
    metadata: { who: 'anna' },
  }
  const { body } = await batches.create(ctx, asked)
  await expect(batches.erase(ctx, body.id, everyAgent)).rejects.toMatchObject({ code: 'run_not_ended' })
  await finish(tenant, await uuidOf())
  expect((await batches.erase(ctx, body.id, everyAgent)).erased_at).toBeNull()
  for (let rounds = 0; rounds < 5; rounds++) await world.sweep()
  const erased = await batches.get(ctx, body.id, everyAgent)
  expect(erased).toMatchObject({ status: 'completed', metadata: {}, progress: { completed: 12 } })
  expect(erased.erased_at).not.toBeNull()
  expect(await world.query('select number from batch_items where input is not null or custom_id is not null')).toEqual(
    [],
  )
  expect(await world.query(`select id from runs where org_id = $1 and input::text <> '{}'`, [tenant.org])).toEqual([])
  expect(
    await world.query('select run_id from run_results where org_id = $1 and output is not null', [tenant.org]),
  ).toEqual([])
})

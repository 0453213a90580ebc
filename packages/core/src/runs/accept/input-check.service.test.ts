import { toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canary, releaseVersion } from '../../../test/planted-release.ts'
import { openRunGateway, plantTenant, type RunGateway, type Tenant } from '../../../test/run-gateway.ts'
import { bucketOf } from '../../deployments/index.ts'
import { Fault } from '../../fault.ts'

let database: TestDatabase
const gateways: RunGateway[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  for (let n = 0; n < 2; n++) gateways.push(await openRunGateway(database))
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await database.drop()
})

const needs = (field: string) => ({ type: 'object', required: [field] })

/** An idempotency key whose runs of this agent fall within the canary's share, or outside it. */
const keyOn = (side: 'canary' | 'live', agentId: `ag_${string}`, percent: number, from = 0): string => {
  for (let n = from; ; n++) {
    const isBelow = bucketOf(toUuid(agentId), `key-${n}`) < percent * 100
    if (isBelow === (side === 'canary')) return `key-${n}`
  }
}

/** The version of the run, or the code of its refusal. */
const ask = async ({ org, agentId }: Tenant, asked: { key?: string; input: Record<string, unknown>; at?: number }) => {
  const { api } = gateways[asked.at ?? 0] as RunGateway
  try {
    const ctx = { ...testRequest(org), idempotencyKey: asked.key }
    const answer = await api.create(ctx, { agent_id: agentId, input: asked.input })
    const run = 'body' in answer ? answer.body : answer
    return [run.agent_version, run.deployment_id] as const
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

const newTenant = () => plantTenant(database, { agents: [{ schema: needs('first') }] })
const app = () => (gateways[0] as RunGateway).app
const release = (
  { org, agentId }: Tenant,
  next: { field?: string; rollout?: Parameters<typeof releaseVersion>[2]['rollout'] },
) =>
  releaseVersion(app(), org, {
    agentId: toUuid(agentId),
    inputSchema: next.field === undefined ? null : needs(next.field),
    ...(next.rollout && { rollout: next.rollout }),
  })

test('each side of a canary validates its runs against its own schema, on every gateway', async () => {
  const tenant = await newTenant()
  await release(tenant, { field: 'live' })
  await release(tenant, { field: 'canary', rollout: canary(30) })
  for (const at of [0, 1]) {
    for (const [side, version] of [
      ['canary', 3],
      ['live', 2],
    ] as const) {
      const other = side === 'live' ? 'canary' : 'live'
      const key = keyOn(side, tenant.agentId, 30, 100 * at)
      // A refusal is not stored: the same key may retry with valid input.
      expect(await ask(tenant, { key, at, input: { [other]: 1 } })).toBe('input_invalid')
      expect(await ask(tenant, { key, at, input: { [side]: 1 } })).toMatchObject({ 0: version })
      const next = keyOn(side, tenant.agentId, 30, 100 * at + 50)
      expect(await ask(tenant, { key: next, at, input: { [other]: 1 } })).toBe('input_invalid')
    }
  }
})

test('a removed, changed or restored schema applies from the next run on', async () => {
  const tenant = await newTenant()
  const askBoth = async (input: Record<string, unknown>) => [
    await ask(tenant, { input, at: 0 }),
    await ask(tenant, { input, at: 1 }),
  ]
  expect(await askBoth({ first: 1 })).toEqual([
    [1, null],
    [1, null],
  ])
  await release(tenant, { field: 'second' })
  expect(await askBoth({ first: 1 })).toEqual(['input_invalid', 'input_invalid'])
  expect(await askBoth({ second: 1 })).toMatchObject([{ 0: 2 }, { 0: 2 }])
  await release(tenant, {})
  expect(await askBoth({ anything: 1 })).toMatchObject([{ 0: 3 }, { 0: 3 }])
  await release(tenant, { field: 'third' })
  expect(await askBoth({ second: 1 })).toEqual(['input_invalid', 'input_invalid'])
  expect(await askBoth({ third: 1 })).toMatchObject([{ 0: 4 }, { 0: 4 }])
})

test('a run without an idempotency key stays on the side of its id while its input is validated', async () => {
  const tenant = await newTenant()
  const live = await release(tenant, { field: 'both' })
  const out = await release(tenant, { field: 'both', rollout: canary(50) })
  for (let n = 0; n < 40; n++) {
    const { api } = gateways[n % 2] as RunGateway
    const answer = await api.create(testRequest(tenant.org), { agent_id: tenant.agentId, input: { both: n } })
    const run = 'body' in answer ? answer.body : answer
    const isCanary = bucketOf(toUuid(tenant.agentId), toUuid(run.id)) < 5000
    expect(toUuid(run.deployment_id as `dep_${string}`)).toBe(isCanary ? out.id : live.id)
  }
})

test('a replay returns the original run, even if the share has changed or another version is active', async () => {
  const tenant = await newTenant()
  const live = await release(tenant, {})
  const key = keyOn('live', tenant.agentId, 10)
  const first = await ask(tenant, { key, input: {} })
  expect(first).toMatchObject({ 0: 2 })
  expect(toUuid((first as readonly [number, `dep_${string}`])[1])).toBe(live.id)
  for (const percent of [10, 99]) {
    await release(tenant, { rollout: canary(percent) })
    expect(await ask(tenant, { key, input: {}, at: 1 })).toEqual(first)
  }
  await release(tenant, { field: 'nothing has it' })
  expect(await ask(tenant, { key, input: {} })).toEqual(first)
})

test('an archived agent accepts no run from that moment on, regardless of a gateway’s cache', async () => {
  const tenant = await newTenant()
  expect(await ask(tenant, { input: { first: 1 }, key: 'before' })).toEqual([1, null])
  await asClient(database.superuserUrl, (client) =>
    client.query(`update agents set status = 'archived', archived_at = app_now() where id = $1`, [
      toUuid(tenant.agentId),
    ]),
  )
  for (const at of [0, 1]) {
    expect(await ask(tenant, { input: { first: 1 }, at })).toBe('agent_archived')
    // Invalid input is refused with the more specific reason.
    expect(await ask(tenant, { input: {}, at })).toBe('agent_archived')
    expect(await ask(tenant, { input: { first: 1 }, key: 'before', at })).toEqual([1, null])
  }
})

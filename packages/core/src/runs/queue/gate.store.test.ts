import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSlotWorld, type SlotWorld, startedOf, type Tenant } from '../../../test/slot-world.ts'
import { findFacts } from '../read/diagnosis.store.ts'
import { openGates } from './gate.store.ts'
import { admitRuns, ensureCellSlots } from './slot.store.ts'

const cellSlots = 100
let world: SlotWorld

beforeAll(async () => {
  world = await createSlotWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.clear()
  await ensureCellSlots(world.system, cellSlots)
})

/** An organisation whose first agent has this limit of runs in flight; its second agent has none. */
const addLimited = async (places: number, concurrentRuns = 20): Promise<Tenant> => {
  const tenant = await world.addTenant(concurrentRuns)
  await world.limitAgent(tenant, places)
  return tenant
}

const accept = (tenant: { org: string; agentId: string }, count: number) => world.accept(tenant, count, cellSlots)
const admit = () => admitRuns(world.system, { limit: 50, cellSlots })
const letIn = () => openGates(world.system, { limit: 50 })
const underWay = async ({ agentId }: Tenant) =>
  (
    await world.query('select run_id from run_heads where agent_id = $1 and slot is not null order by run_id', [
      agentId,
    ])
  ).map(({ run_id }) => run_id as string)

test('an agent has at most its limit of runs in flight, oldest first, and the next starts when one ends', async () => {
  const tenant = await addLimited(2)
  const runs = (await accept(tenant, 5)).map(({ id }) => id)
  expect(await underWay(tenant)).toEqual([])
  expect(await admit()).toMatchObject({ admitted: [], gated: true })
  expect(await letIn()).toBe(2)
  await admit()
  expect(await underWay(tenant)).toEqual(runs.slice(0, 2))
  expect(await letIn()).toBe(0)
  await world.end(tenant, runs[0] as string)
  expect(await letIn()).toBe(1)
  await admit()
  expect(await underWay(tenant)).toEqual([runs[1], runs[2]])
})

test('runs of other agents pass the runs that wait at a full agent’s gate, in its organisation and in others', async () => {
  const tenant = await addLimited(1)
  await accept(tenant, 60)
  await letIn()
  await admit()
  const others = await accept({ ...tenant, agentId: tenant.otherAgentId }, 3)
  expect(startedOf(others)).toHaveLength(3)
  const stranger = await world.addTenant(2)
  expect(startedOf(await accept(stranger, 3))).toHaveLength(2)
  // Its third run waits for its own organisation, and gets the freed slot although sixty runs came before.
  const [first, , third] = await world.query('select run_id from run_heads where org_id = $1 order by run_id', [
    stranger.org,
  ])
  await world.end(stranger, first?.run_id as string)
  expect((await admit()).admitted.map(({ run }) => run)).toEqual([third?.run_id])
})

test('runs at a gate count as waiting: beyond ten times the organisation’s limit the next is refused', async () => {
  const tenant = await addLimited(1, 2)
  const runs = await accept(tenant, 23)
  expect(runs.map(({ accepted }) => (accepted?.kind === 'accepted' ? accepted.started : accepted?.kind))).toEqual([
    ...Array.from({ length: 20 }, () => false),
    ...Array.from({ length: 3 }, () => 'queue_full'),
  ])
})

test('an agent never exceeds its limit of runs in flight under concurrent accepts, admissions and ends', async () => {
  const tenant = await addLimited(3)
  const mine: string[] = []
  let most = 0
  const look = async () => {
    most = Math.max(most, (await underWay(tenant)).length)
  }
  const come = async () => {
    for (let round = 0; round < 10; round++) mine.push(...(await accept(tenant, 2)).map(({ id }) => id))
  }
  const serve = async () => {
    for (let round = 0; round < 25; round++) {
      await letIn()
      await admit()
      await look()
      const [oldest] = round % 2 === 0 ? await underWay(tenant) : []
      if (oldest) await world.end(tenant, oldest)
    }
  }
  await Promise.all([come(), come(), serve(), serve(), serve()])
  expect(most).toBe(3)
  const [{ places } = { places: 0 }] = await world.query(
    'select count(*)::integer as places from run_heads where agent_id = $1 and has_place',
    [tenant.agentId],
  )
  expect(places).toBeLessThanOrEqual(3)
  expect(mine).toHaveLength(40)
})

test('removing the limit admits all waiting runs', async () => {
  const tenant = await addLimited(1)
  await accept(tenant, 5)
  await letIn()
  await world.limitAgent(tenant, null)
  expect(await letIn()).toBe(4)
  expect((await admit()).admitted).toHaveLength(5)
  expect(startedOf(await accept(tenant, 1))).toHaveLength(1)
})

test('while a canary is active, the limit of the released version applies to the runs of both', async () => {
  const tenant = await addLimited(1)
  const columns =
    'org_id, name, description, kind, config, input_schema, output_schema, policies, metadata, created_by_type'
  await world.query(
    `insert into agent_versions (agent_id, version, limits, ${columns})
     select agent_id, version + 1, '{}', ${columns.replace('input_schema', 'null')} from agent_versions where agent_id = $1`,
    [tenant.agentId],
  )
  await world.query(
    `update agents set live_version = version, canary_version = version + 1, canary_percent = 50,
            canary_deployment_id = gen_random_uuid() where id = $1`,
    [tenant.agentId],
  )
  // Bucket 0 is on the canary's side, whose version has no limit.
  const [first] = await accept(tenant, 2)
  expect(first?.accepted).toMatchObject({ started: false, agent_version: 2 })
  expect(await letIn()).toBe(1)
})

test('a waiting run reports that it waits for its agent, its position and the runs in flight', async () => {
  const tenant = await addLimited(1)
  const [first, , third] = (await accept(tenant, 3)).map(({ id }) => id)
  await letIn()
  await admit()
  expect(await findFacts(world.app, tenant.org, third as string)).toMatchObject({
    queues: true,
    position: 2,
    agent_allows: 1,
    holders: [first],
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld, type Tenant } from '../../../test/admission-world.ts'

// The parts of admit_runs(), each alone. `admission.store.test.ts` has what they do together.

let world: AdmissionWorld
let tenants: Tenant[]
let numbersFrom: unknown

beforeAll(async () => {
  world = await createAdmissionWorld()
  tenants = []
  for (const concurrentRuns of [3, 5, 10]) tenants.push(await world.addTenant(concurrentRuns))
  tenants.sort((one, other) => (one.org < other.org ? -1 : 1))
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.clear()
  numbersFrom = await value('select this_transaction()')
})

const value = async (text: string, values: unknown[] = []): Promise<unknown> => {
  const [row] = await world.query(text, values)
  return row && Object.values(row)[0]
}

const tenantAt = (at: number): Tenant => {
  const tenant = tenants[at]
  if (!tenant) throw new Error(`There is no tenant ${at}`)
  return tenant
}

const limitOf = async ({ org }: Tenant): Promise<number> =>
  Number(await value('select concurrent_runs from organisations where id = $1', [org]))

const batchLine = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const nobody = '00000000-0000-0000-0000-000000000000'

type Head = { line?: string | null; agent?: string; demoKey?: string }

/** Heads of runs, younger ones last. Without a line they are admitted. Answers their ids. */
const addHeads = async ({ org, agentId }: Tenant, heads: readonly Head[]): Promise<string[]> => {
  const ids: string[] = []
  for (const { line = null, agent = agentId, demoKey = null } of heads) {
    const text = `insert into run_heads (run_id, org_id, status, created_at, progress_at, deadline_at, agent_id, waits_for, is_admitted, demo_key_id)
      values (new_uuid(), $1, 'queued', app_now(), app_now(), app_now() + interval '1 hour', $2, $3, $3::uuid is null, $4) returning run_id`
    ids.push(String(await value(text, [org, agent, line, demoKey])))
  }
  return ids
}

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test('runs_wait: whether a run waits that has not a lower number', async () => {
  const wait = (from = numbersFrom) => value('select runs_wait($1)', [from])
  expect(await wait()).toBe(false)
  await addHeads(tenantAt(0), [{}])
  expect(await wait()).toBe(false)
  await addHeads(tenantAt(0), [{ line: tenantAt(0).org }])
  expect(await wait()).toBe(true)
  expect(await wait(await value('select this_transaction()'))).toBe(false)
})

test('admitted_runs: the admitted runs from a number on, and of the earlier ones those that are still admitted', async () => {
  const { org, agentId, otherAgentId } = tenantAt(0)
  const [kept, ended] = await addHeads(tenantAt(0), [{}, { line: org }])
  const from = await value('select this_transaction()')
  await addHeads(tenantAt(1), [{ agent: otherAgentId, demoKey: batchLine }, { line: tenantAt(1).org }])
  const [found] = await world.query('select orgs, agents, demo_keys from admitted_runs($1, $2)', [from, [kept, ended]])
  expect(found).toEqual({
    orgs: [tenantAt(1).org, org],
    agents: [otherAgentId, agentId],
    demo_keys: [batchLine, null],
  })
  const [none] = await world.query('select orgs, agents, demo_keys from admitted_runs($1, $2)', [
    await value('select this_transaction()'),
    [],
  ])
  expect(none).toEqual({ orgs: [], agents: [], demo_keys: [] })
})

test('fit_limits: each organisation has room for its waiting runs beside its admitted ones', async () => {
  const { org } = tenantAt(0)
  const limit = await limitOf(tenantAt(0))
  const fits = (waiting: string[], admitted: string[]) =>
    value('select fit_limits($1::uuid[], $2::uuid[])', [waiting, admitted])
  expect(await fits(times(limit, org), [tenantAt(1).org])).toBe(true)
  expect(await fits(times(limit, org), [org])).toBe(false)
  expect(await fits([org, nobody], [])).toBe(false)
})

test('count_each and count_of: how often an id occurs', async () => {
  const counts = await value('select count_each($1::uuid[])', [[batchLine, nobody, batchLine, null]])
  expect(counts).toEqual({ [batchLine]: 2, [nobody]: 1 })
  const countOf = (id: string) => value('select count_of($1::jsonb, $2)', [JSON.stringify(counts), id])
  expect([await countOf(batchLine), await countOf(tenantAt(0).org)]).toEqual([2, 0])
})

test('waiting_lines: each line once, from an organisation on and then from the beginning, at most as many as asked for', async () => {
  for (const tenant of tenants)
    await addHeads(tenant, [{ line: tenant.org }, { line: tenant.org }, { line: batchLine }, {}])
  const lines = async (first: string, most: number) =>
    (await world.query('select org_id, waits_for from waiting_lines($1, $2, $3)', [first, numbersFrom, most])).map(
      (row) =>
        [tenants.findIndex(({ org }) => org === row.org_id), row.waits_for === batchLine ? 'batches' : 'own'].join(' '),
    )
  const all = ['0 own', '0 batches', '1 own', '1 batches', '2 own', '2 batches']
  expect(await lines(nobody, 200)).toEqual(all)
  expect(await lines(tenantAt(1).org, 200)).toEqual([...all.slice(2), ...all.slice(0, 2)])
  expect(await lines(tenantAt(1).org, 5)).toEqual([...all.slice(2), '0 own'])
  expect(await lines(tenantAt(1).org, 3)).toEqual(all.slice(2, 5))
})

test('start_waiting_runs: waiting runs start with an order in the outbox, others are left alone', async () => {
  const { org } = tenantAt(0)
  const [waiting, admitted] = await addHeads(tenantAt(0), [{ line: org }, {}])
  const start = () =>
    world.query('select org, run, epoch, segment, step from start_waiting_runs($1, 0)', [[waiting, admitted]])
  expect(await start()).toEqual([{ org, run: waiting, epoch: 1, segment: 1, step: 1 }])
  expect(await world.query('select run_id, org_id, epoch, segment, step from outbox')).toEqual([
    { run_id: waiting, org_id: org, epoch: 1, segment: 1, step: 1 },
  ])
  expect(await start()).toEqual([])
})

describe('choose_runs', () => {
  type Choice = {
    places?: number
    cellRuns?: number
    sharedRuns?: number
    lightRuns?: number
    shortQueue?: number
    firstOrg?: string
  }
  /** Chooses beside the admitted runs of the database. */
  const choose = async (choice: Choice = {}): Promise<string[]> => {
    const { places = 100, cellRuns = 100, sharedRuns = cellRuns, lightRuns = 0, shortQueue, firstOrg = nobody } = choice
    const chosen = await value(
      `select choose_runs($1, $2, $3, $4, 2, a.orgs, a.agents, a.demo_keys, $5, $6, $7, $8) from admitted_runs($5, '{}') a`,
      [places, cellRuns, sharedRuns, lightRuns, numbersFrom, shortQueue ?? 100, shortQueue !== undefined, firstOrg],
    )
    return chosen as string[]
  }

  test('takes the oldest runs of an organisation up to its limit', async () => {
    const { org } = tenantAt(0)
    const limit = await limitOf(tenantAt(0))
    await addHeads(tenantAt(0), [{}])
    const waiting = await addHeads(tenantAt(0), times(limit, { line: org }))
    expect(await choose()).toEqual(waiting.slice(0, limit - 1))
  })

  test('takes turns: the organisation with the fewest admitted runs comes first', async () => {
    const [busy, quiet] = [tenantAt(0), tenantAt(1)]
    await addHeads(busy, [{}, {}])
    const [first] = await addHeads(busy, [{ line: busy.org }])
    const others = await addHeads(quiet, [{ line: quiet.org }, { line: quiet.org }])
    expect(await choose({ places: 2 })).toEqual(others)
    expect((await choose()).toSorted()).toEqual([first, ...others].toSorted())
  })

  test('keeps a part of the cell for organisations with few runs', async () => {
    const [busy, quiet] = [tenantAt(0), tenantAt(1)]
    await addHeads(busy, [{}, {}])
    await addHeads(busy, [{ line: busy.org }])
    const [other] = await addHeads(quiet, [{ line: quiet.org }])
    const cell = { cellRuns: 4, sharedRuns: 2, lightRuns: 1 }
    expect(await choose(cell)).toEqual([other])
  })

  test('takes a batch after all others, and not beside another line of its organisation', async () => {
    const [one, other] = [tenantAt(0), tenantAt(1)]
    const [batched] = await addHeads(one, [{ line: batchLine }])
    const [plain] = await addHeads(other, [{ line: other.org }])
    expect(await choose({ places: 1 })).toEqual([plain])
    expect(await choose()).toEqual([plain, batched])
    await addHeads(one, times(20, { line: one.org }))
    expect(await choose()).not.toContain(batched)
  })

  test('holds the limit of an agent over all of its lines, and that of a demo key', async () => {
    const tenant = tenantAt(2)
    const { org, agentId, otherAgentId } = tenant
    await world.limitAgent(tenant, 2)
    const key = '0199aaaa-0000-7000-8000-00000000000e'
    const ofAgent = await addHeads(tenant, [{ line: agentId }, { line: agentId }, { line: batchLine }])
    const ofKey = await addHeads(tenant, times(3, { line: key, demoKey: key, agent: otherAgentId }))
    const chosen = await choose()
    expect(chosen.toSorted()).toEqual([...ofAgent.slice(0, 2), ...ofKey.slice(0, 2)].toSorted())
    expect((await limitOf({ ...tenant, org })) >= chosen.length).toBe(true)
    await world.limitAgent(tenant, null)
  })

  test('chooses the same runs of a long queue, whichever organisation it begins at', async () => {
    for (const tenant of tenants) await addHeads(tenant, times(12, { line: tenant.org }))
    const all = await choose()
    expect(all).toHaveLength(18)
    for (const firstOrg of [nobody, tenantAt(1).org])
      expect((await choose({ shortQueue: 3, firstOrg })).toSorted()).toEqual(all.toSorted())
  })
})

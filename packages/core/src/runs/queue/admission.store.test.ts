import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld, startedOf, type Tenant } from '../../../test/admission-world.ts'
import { resumeRun } from '../control/action.store.ts'
import { takeDueOrders } from '../dispatch/dispatch.store.ts'
import { findFacts } from '../read/diagnosis.store.ts'
import { countRuns } from '../read/run-count.store.ts'
import { admitRuns, settleCell } from './admission.store.ts'

let world: AdmissionWorld
let query: AdmissionWorld['query']
let addTenant: AdmissionWorld['addTenant']
let accept: AdmissionWorld['accept']
let end: AdmissionWorld['end']
let admitted: AdmissionWorld['admitted']

beforeAll(async () => {
  world = await createAdmissionWorld()
  ;({ query, addTenant, accept, end, admitted } = world)
})
afterAll(() => world.close())
beforeEach(() => world.clear())

const admit = (cellSlots: number) => admitRuns(world.system, { cellSlots, relayAfterMs: 0 })
const admittedBy = async (cellSlots: number) => (await admit(cellSlots)).admitted.map(({ run }) => run)
const everyone = { agentIds: null, runOwner: null, runId: null }
const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id)
const settle = async () => {
  await query(`update cell set settled_at = '-infinity'`)
  await settleCell(world.system)
}
/** Looks until one had the lock. */
const surelyAdmit = async (cellSlots: number) => {
  for (;;) {
    const look = await admit(cellSlots)
    if (!look.busy) return look
  }
}

test('an organisation never exceeds its limit of runs in flight, also under concurrent accepts', async () => {
  const tenant = await addTenant(3)
  await Promise.all(Array.from({ length: 8 }, () => accept(tenant, 3, 100)))
  await surelyAdmit(100)
  expect(await admitted(tenant)).toBe(3)
})

test('a run beyond ten times the limit in the queue is refused and leaves nothing behind (limits.queuedPerSlot)', async () => {
  const tenant = await addTenant(1)
  const runs = await accept(tenant, 14, 100)
  expect(runs.map(({ accepted, started }) => (accepted?.kind === 'accepted' ? started : accepted?.kind))).toEqual([
    true,
    ...Array.from({ length: 10 }, () => false),
    ...Array.from({ length: 3 }, () => 'queue_full'),
  ])
  const [{ stored } = { stored: 0 }] = await query('select count(*)::integer as stored from runs where org_id = $1', [
    tenant.org,
  ])
  expect(stored).toBe(11)
  expect((await accept(tenant, 1, 100))[0]?.accepted?.kind).toBe('queue_full')
})

test('the queue is bounded although the cell has fewer places than the organisation', async () => {
  const tenant = await addTenant(5)
  const batches: Awaited<ReturnType<typeof accept>>[] = []
  for (let batch = 0; batch < 70; batch++) batches.push(await accept(tenant, 1, 2))
  expect(batches.flat().filter(({ accepted }) => accepted?.kind === 'accepted')).toHaveLength(55)
})

test('the organisation with the fewest runs in flight comes first, and new runs do not pass waiting ones', async () => {
  const noisy = await addTenant(50)
  const quiet = await addTenant(50)
  const first = startedOf(await accept(noisy, 40, 4))
  expect(first).toHaveLength(4)
  const [waiting] = await accept(quiet, 1, 4)
  await end(noisy, first[0] as string)
  // A place is free, but another run waits for it: the noisy organisation's next run does not get it.
  expect(startedOf(await accept(noisy, 1, 4))).toEqual([])
  expect(await admitted(quiet)).toBe(1)
  expect(await query('select run_id from run_heads where run_id = $1 and is_admitted', [waiting?.id])).toHaveLength(1)
})

test('an organisation that fills the cell leaves a fifth of it to organisations with few runs in flight', async () => {
  const noisy = await addTenant(50)
  const quiet = await addTenant(50)
  const first = startedOf(await accept(noisy, 40, 20))
  expect(first).toHaveLength(16)
  expect(startedOf(await accept(quiet, 3, 20))).toHaveLength(2)
  expect(await admittedBy(20)).toEqual([])
  const other = await addTenant(50)
  expect(startedOf(await accept(other, 1, 20))).toHaveLength(1)
  // The runs of the others stand in the fifth that is kept, so that the noisy organisation keeps its four fifths.
  await end(
    quiet,
    (await query('select run_id from run_heads where org_id = $1 and waits_for is not null', [quiet.org]))[0]
      ?.run_id as string,
  )
  await end(noisy, first[0] as string)
  expect(await admit(20)).toMatchObject({ left: true, admitted: [{ org: noisy.org }] })
  expect(await admitted(noisy)).toBe(16)
  const [late] = await accept(await addTenant(50), 1, 0)
  expect(await admittedBy(20)).toEqual([late?.id])
})

test('a run starts at once although more lines wait for their limits than one look reads', async () => {
  await query(
    `insert into organisations (id, name, concurrent_runs) select new_uuid(), 'full', 1 from generate_series(1, 250)`,
  )
  await query(
    `insert into run_heads (run_id, org_id, agent_id, status, waits_for, is_admitted, created_at, progress_at, deadline_at)
     select new_uuid(), o.id, o.id, 'queued', case when n > 1 then o.id end, n = 1, app_now(), app_now(), app_now() + interval '1 hour'
       from organisations o, generate_series(1, 3) n where o.name = 'full'`,
  )
  for (const tenant of [await addTenant(1), await addTenant(1), await addTenant(1)]) {
    expect(startedOf(await accept(tenant, 1, 1_000))).toHaveLength(1)
  }
})

test('an order that can no longer be claimed is dropped and not sent forever', async () => {
  const tenant = await addTenant(1)
  const [run] = await accept(tenant, 1, 2)
  await query('delete from run_heads where run_id = $1', [run?.id])
  expect(await takeDueOrders(world.system, { limit: 10, againAfterMs: 1 })).toEqual([])
  expect(await query('select run_id from outbox')).toEqual([])
})

test('two admitters at the same time admit every run once, and no more than the cell executes', async () => {
  const tenants = await Promise.all([addTenant(4), addTenant(4), addTenant(4)])
  for (const tenant of tenants) await accept(tenant, 12, 0)
  const looks = await Promise.all(Array.from({ length: 4 }, () => admit(12)))
  const runs = looks.flatMap((look) => ids(look.admitted.map(({ run }) => ({ id: run }))))
  expect(new Set(runs).size).toBe(runs.length)
  await surelyAdmit(12)
  // Of twelve places two are kept for organisations with few runs.
  expect(await Promise.all(tenants.map(admitted))).toEqual(expect.arrayContaining([4, 3, 3]))
  expect(await query('select run_id from run_heads where is_admitted')).toHaveLength(10)
})

test('a run that is cancelled while it is admitted counts no longer', async () => {
  const tenant = await addTenant(1)
  const [run] = await accept(tenant, 1, 0)
  const cancelled = await asClient(world.superuserUrl, async (client) => {
    // The admission, stopped before its commit: the cancel has begun by then and waits for the row of the run.
    await client.query('begin')
    await client.query(
      'update run_heads set waits_for = null, is_admitted = true, moved_in = this_transaction() where run_id = $1',
      [run?.id],
    )
    const ending = end(tenant, run?.id as string)
    await expect
      .poll(() =>
        query(`select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
      )
      .toHaveLength(1)
    await client.query('commit')
    return ending
  })
  expect(cancelled).toMatchObject({ kind: 'ended' })
  expect(await admitted(tenant)).toBe(0)
})

test('a look begins at the marks of the cell and counts the runs that were admitted before them', async () => {
  const tenant = await addTenant(4)
  const [first] = startedOf(await accept(tenant, 2, 100))
  // A transaction of another test holds the marks back.
  const settled = async () => {
    await settle()
    return query('select cardinality(admitted_before) as runs from cell')
  }
  await expect.poll(settled).toEqual([{ runs: 2 }])
  expect(startedOf(await accept(tenant, 5, 100))).toHaveLength(2)
  await settle()
  const [{ waiting_from: from } = {}] = await query('select waiting_from from cell')
  expect(await query('select run_id from run_heads where waits_for is not null and moved_in < $1', [from])).toEqual([])
  await end(tenant, first as string)
  expect(await admittedBy(100)).toHaveLength(1)
  expect(await admitted(tenant)).toBe(4)
  // The numbers of another server are higher than all of this one.
  await query(`update cell set waiting_from = 1e15, admitted_from = 1e15, admitted_before = '{}'`)
  expect(startedOf(await accept(tenant, 1, 100))).toEqual([])
  expect(await admit(100)).toMatchObject({ left: true, admitted: [] })
  await expect.poll(settled).toEqual([{ runs: 4 }])
})

/** An organisation whose first agent has this limit of runs in flight; its second agent has none. */
const addLimited = async (places: number, concurrentRuns = 20): Promise<Tenant> => {
  const tenant = await addTenant(concurrentRuns)
  await world.limitAgent(tenant, places)
  return tenant
}
const underWay = async ({ agentId }: Tenant) =>
  (await query('select run_id from run_heads where agent_id = $1 and is_admitted order by run_id', [agentId])).map(
    ({ run_id }) => run_id as string,
  )

test('an agent has at most its limit of runs in flight, oldest first, and the next starts when one ends', async () => {
  const tenant = await addLimited(2)
  const runs = ids(await accept(tenant, 5, 100))
  expect(await underWay(tenant)).toEqual(runs.slice(0, 2))
  expect(await admittedBy(100)).toEqual([])
  await end(tenant, runs[0] as string)
  expect(await admittedBy(100)).toEqual([runs[2]])
})

test('runs of other agents pass the runs that wait for a full agent, in its organisation and in others', async () => {
  const tenant = await addLimited(1)
  await accept(tenant, 60, 100)
  expect(startedOf(await accept({ ...tenant, agentId: tenant.otherAgentId }, 3, 100))).toHaveLength(3)
  const stranger = await addTenant(2)
  const [first, , third] = ids(await accept(stranger, 3, 100))
  expect(await admitted(stranger)).toBe(2)
  // Its third run waits for its own organisation, and is admitted although sixty runs came before.
  await end(stranger, first as string)
  expect(await admittedBy(100)).toEqual([third])
})

test('runs that wait for an agent count as waiting: beyond ten times the organisation’s limit the next is refused', async () => {
  const tenant = await addLimited(1, 2)
  for (let at = 0; at < 21; at++) expect((await accept(tenant, 1, 100))[0]?.accepted?.kind).toBe('accepted')
  await settle()
  expect((await accept(tenant, 3, 100)).map(({ accepted }) => accepted?.kind)).toEqual([
    'accepted',
    'queue_full',
    'queue_full',
  ])
})

test('a run that a person has answered comes before younger ones, at its agent too', async () => {
  const tenant = await addLimited(1)
  const [first, second] = ids(await accept(tenant, 3, 100))
  await query(
    `update run_heads set status = 'requires_action', is_admitted = false, remaining_ms = 60000, waiting_since = app_now() where run_id = $1`,
    [first],
  )
  expect(await admittedBy(100)).toEqual([second])
  expect(await countRuns(world.system)).toEqual(
    expect.arrayContaining([
      { status: 'requires_action', runs: 1 },
      { status: 'queued', runs: 2 },
    ]),
  )
  await world.app.transaction(tenant.org, (tx) => resumeRun(tx, tenant.org, first as string))
  await end(tenant, second as string)
  expect((await admit(100)).admitted).toMatchObject([{ run: first, segment: 2 }])
})

test('removing the limit admits all waiting runs', async () => {
  const tenant = await addLimited(1)
  await accept(tenant, 5, 100)
  await world.limitAgent(tenant, null)
  expect(await admittedBy(100)).toHaveLength(4)
  expect(startedOf(await accept(tenant, 1, 100))).toHaveLength(1)
})

test('while a canary is active, the limit of the released version applies to the runs of both', async () => {
  const tenant = await addLimited(1)
  const columns =
    'org_id, name, description, kind, config, input_schema, output_schema, policies, metadata, created_by_type'
  await query(
    `insert into agent_versions (agent_id, version, limits, ${columns})
     select agent_id, version + 1, '{}', ${columns.replace('input_schema', 'null')} from agent_versions where agent_id = $1`,
    [tenant.agentId],
  )
  await query(
    `update agents set live_version = version, canary_version = version + 1, canary_percent = 50,
            canary_deployment_id = gen_random_uuid() where id = $1`,
    [tenant.agentId],
  )
  // Bucket 0 is on the canary's side, whose version has no limit.
  const runs = await accept(tenant, 2, 100)
  expect(runs.map(({ accepted }) => accepted)).toMatchObject([{ agent_version: 2 }, { agent_version: 2 }])
  expect(startedOf(runs)).toHaveLength(1)
})

test('a demo key has two runs in flight, and its line does not hold up other runs of its organisation', async () => {
  const tenant = await addLimited(3, 10)
  const demo = { ...tenant, demoKeyId: '0199aaaa-0000-7000-8000-0000000000d1' }
  const other = { ...tenant, demoKeyId: '0199aaaa-0000-7000-8000-0000000000d2' }
  const runs = await accept({ ...demo, agentId: tenant.otherAgentId }, 5, 100)
  expect(startedOf(runs)).toEqual(ids(runs).slice(0, 2))
  expect(startedOf(await accept({ ...tenant, agentId: tenant.otherAgentId }, 1, 100))).toHaveLength(1)
  expect(await findFacts(world.app, tenant.org, runs[3]?.id as string, everyone)).toMatchObject({
    queues: true,
    position: 2,
    agent_allows: null,
    is_demo_limit_used: true,
    holders: ids(runs).slice(0, 2),
  })
  // The limit of the agent holds across keys too.
  expect(startedOf(await accept(other, 2, 100))).toHaveLength(2)
  expect(startedOf(await accept(tenant, 2, 100))).toHaveLength(1)
  expect(await underWay(tenant)).toHaveLength(3)
  const [{ calls } = {}] = await query('select calls from demo_key_calls where key_id = $1', [demo.demoKeyId])
  expect(calls).toBe(5)
  await query('update demo_key_calls set calls = 1000 where key_id = $1', [demo.demoKeyId])
  expect((await accept(demo, 1, 100))[0]?.accepted?.kind).toBe('demo_calls_used')
  expect((await accept(other, 1, 100))[0]?.accepted?.kind).toBe('accepted')
})

test('the limit of an agent holds when one look admits its runs of several lines', async () => {
  const tenant = await addLimited(3, 20)
  await accept({ ...tenant, demoKeyId: '0199aaaa-0000-7000-8000-0000000000d3' }, 2, 0)
  await accept(tenant, 4, 0)
  await accept({ ...tenant, demoKeyId: '0199aaaa-0000-7000-8000-0000000000d4' }, 2, 0)
  expect(await admittedBy(100)).toHaveLength(3)
  expect(await admittedBy(100)).toEqual([])
})

test('a waiting run reports that it waits for its agent, its position and the runs in flight', async () => {
  const tenant = await addLimited(1)
  const [first, , third] = ids(await accept(tenant, 3, 100))
  expect(await findFacts(world.app, tenant.org, third as string, everyone)).toMatchObject({
    queues: true,
    position: 2,
    agent_allows: 1,
    holders: [first],
  })
})

test('of other runs a waiting run counts and names those that its reader sees', async () => {
  const tenant = await addTenant(2)
  const { agentId, otherAgentId } = tenant
  const accepted: string[] = []
  for (const agent of [otherAgentId, agentId, otherAgentId, agentId, otherAgentId, agentId])
    accepted.push(...ids(await accept({ ...tenant, agentId: agent }, 1, 100)))
  const [foreign, own, , , , last] = accepted as [string, string, string, string, string, string]
  const factsFor = (sight: Partial<typeof everyone> | { agentIds: ReadonlySet<string> } | { runId: string }) =>
    findFacts(world.app, tenant.org, last, { ...everyone, ...sight })
  expect(await factsFor({})).toMatchObject({ sees_all: true, position: 4, holders: [foreign, own] })
  const seen = { sees_all: false, used: 2, allowed: 2 }
  expect(await factsFor({ agentIds: new Set([agentId]) })).toMatchObject({ ...seen, position: 2, holders: [own] })
  expect(await factsFor({ runId: last })).toMatchObject({ ...seen, position: 1, holders: [] })
  await query('update runs set owner_id = $1 where id = any ($2)', [agentId, [foreign, last]])
  const ofOwner = { runOwner: agentId } as unknown as Partial<typeof everyone>
  expect(await factsFor(ofOwner)).toMatchObject({ ...seen, position: 1, holders: [foreign] })
})

import type { Database } from '@ars/platform/db/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startedOf, type Tenant } from '../../../test/admission-world.ts'
import { askedRun } from '../../../test/asked-run.ts'
import { type BatchWorld, openBatchWorld } from '../../../test/batch-world.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { admitRuns } from './admission.store.ts'

let world: BatchWorld
beforeAll(async () => {
  world = await openBatchWorld()
})
afterAll(() => world.close())
beforeEach(() => world.clear())

/** Accepts a run for each item of a new batch. Answers their ids. */
const acceptBatch = async (tenant: Tenant, items: number, cellSlots = 1_000): Promise<string[]> => {
  const batchId = await world.newBatch(tenant, items)
  const runs = Array.from({ length: items }, (_, number) =>
    askedRun(tenant.agentId, { batchItem: { batchId, number } }),
  )
  await acceptRuns(world.app, tenant.org, runs, { relayAfterMs: 0, cellSlots })
  return runs.map(({ id }) => id)
}
const admit = async (cellSlots: number) =>
  (await admitRuns(world.system, { cellSlots, relayAfterMs: 0 })).admitted.map(({ run }) => run)
const waiting = async ({ org }: Tenant) =>
  (await world.query('select run_id from run_heads where org_id = $1 and waits_for is not null', [org])).length

test('beside a batch of 200 items an interactive run starts at once, and the last fifth of the limit stays free', async () => {
  // The queue of the organisation takes ten times its limit.
  const tenant = await world.addTenant(25)
  await acceptBatch(tenant, 200)
  expect(await world.admitted(tenant)).toBe(20)
  expect(await admit(1_000)).toEqual([])
  expect(startedOf(await world.accept(tenant, 5, 1_000))).toHaveLength(5)
  expect(await world.admitted(tenant)).toBe(25)
  expect(await waiting(tenant)).toBe(180)
})

test.each([
  { limit: 1, batch: 1 },
  { limit: 2, batch: 1 },
  { limit: 5, batch: 4 },
  { limit: 6, batch: 4 },
  { limit: 10, batch: 8 },
])('of $limit concurrent runs a batch has at most $batch', async ({ limit, batch }) => {
  const tenant = await world.addTenant(limit)
  await acceptBatch(tenant, 10)
  expect(await world.admitted(tenant)).toBe(batch)
  expect(await admit(1_000)).toEqual([])
})

test('an interactive run that waits is admitted before every waiting run of a batch', async () => {
  const tenant = await world.addTenant(10)
  const batch = await acceptBatch(tenant, 60)
  const interactive = await world.accept(tenant, 12, 1_000)
  expect(startedOf(interactive)).toHaveLength(2)
  const first = await world.query('select run_id from run_heads where org_id = $1 and is_admitted order by run_id', [
    tenant.org,
  ])
  const admitted: string[] = []
  for (const { run_id } of first) {
    await world.end(tenant, run_id as string)
    admitted.push(...(await admit(1_000)))
  }
  // The ten places go to the ten interactive runs that wait, although all runs of the batch are older.
  expect(admitted).toEqual(interactive.slice(2).map(({ id }) => id))
  expect(batch).not.toContain(admitted[0])
  for (const id of admitted.slice(0, 3)) await world.end(tenant, id)
  const next = await admit(1_000)
  expect(next).toHaveLength(1)
  expect(batch).toContain(next[0])
})

test('a batch waits while any other line of its organisation waits', async () => {
  const tenant = await world.addTenant(10)
  await world.limitAgent(tenant, 1)
  const blocked = await world.accept(tenant, 2, 1_000)
  expect(startedOf(blocked)).toHaveLength(1)
  await acceptBatch({ ...tenant, agentId: tenant.otherAgentId }, 5)
  expect(await world.admitted(tenant)).toBe(1)
  await world.end(tenant, blocked[1]?.id as string)
  expect(await admit(1_000)).toHaveLength(5)
})

test('the limit of an agent holds for its batches, and a batch of another agent passes them', async () => {
  const tenant = await world.addTenant(20)
  await world.limitAgent(tenant, 2)
  const limited = await acceptBatch(tenant, 15)
  expect(await world.admitted(tenant)).toBe(2)
  await acceptBatch({ ...tenant, agentId: tenant.otherAgentId }, 20)
  expect(await world.admitted(tenant)).toBe(16)
  expect(
    await world.query('select run_id from run_heads where is_admitted and agent_id = $1', [tenant.agentId]),
  ).toEqual(limited.slice(0, 2).map((run_id) => ({ run_id })))
})

test('in a full cell the runs of other organisations come before those of batches', async () => {
  const [tenant, other] = [await world.addTenant(10), await world.addTenant(50)]
  const first = startedOf(await world.accept(other, 20, 5))
  expect(first).toHaveLength(4)
  const batch = await acceptBatch(tenant, 5, 5)
  expect(await world.admitted(tenant)).toBe(0)
  for (const run of first) await world.end(other, run)
  expect((await admit(5)).some((run) => batch.includes(run))).toBe(false)
})

test('a long queue is treated as a short one', async () => {
  const [tenant, other] = [await world.addTenant(50), await world.addTenant(50)]
  await acceptBatch(tenant, 150)
  await world.accept(other, 150, 1_000)
  expect([await world.admitted(tenant), await world.admitted(other)]).toEqual([40, 50])
  expect(startedOf(await world.accept(tenant, 3, 1_000))).toHaveLength(3)
  expect(await admit(1_000)).toEqual([])
})

test('a run without a batch is accepted by the same statements as ever', async () => {
  const tenant = await world.addTenant(10)
  const batchId = await world.newBatch(tenant, 1)
  const names: (string | undefined)[] = []
  const app: Database = {
    ...world.app,
    batch: (org, statements) => {
      names.push(...statements.map(({ name }) => name))
      return world.app.batch(org, statements)
    },
  }
  const offer = (run: ReturnType<typeof askedRun>) =>
    acceptRuns(app, tenant.org, [run], { relayAfterMs: 0, cellSlots: 100 })
  await offer(askedRun(tenant.agentId))
  expect(names.splice(0)).toEqual(['prefer_indexes', 'runs.accept', 'runs.accepted_event', 'runs.admit'])
  await offer(askedRun(tenant.agentId, { batchItem: { batchId, number: 0 } }))
  expect(names.slice(3)).toEqual(['batches.claim_items', 'runs.accepted_batch_line', 'runs.admit'])
})

test('an item that has a run already rolls the whole accept back', async () => {
  const tenant = await world.addTenant(10)
  const batchId = await world.newBatch(tenant, 3)
  const offer = (numbers: readonly number[]) => {
    const runs = numbers.map((number) => askedRun(tenant.agentId, { batchItem: { batchId, number } }))
    return acceptRuns(world.app, tenant.org, runs, { relayAfterMs: 0, cellSlots: 100 })
  }
  await offer([1])
  await expect(offer([0, 1, 2])).rejects.toMatchObject({ code: 'ARB01' })
  expect(await world.query('select id from runs where org_id = $1', [tenant.org])).toHaveLength(1)
  expect(await world.query('select number from batch_items where run_id is not null')).toEqual([{ number: 1 }])
  await offer([0, 2])
  expect(await world.query('select number from batch_items where run_id is null')).toEqual([])
})

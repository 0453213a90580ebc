import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSlotWorld, type SlotWorld, startedOf, type Tenant } from '../../../test/slot-world.ts'
import { takeDueOrders } from '../dispatch/dispatch.store.ts'
import { admitRuns, ensureCellSlots, freeLostSlots } from './slot.store.ts'

let world: SlotWorld
let system: SlotWorld['system']
let query: SlotWorld['query']
let addTenant: SlotWorld['addTenant']
let accept: SlotWorld['accept']
let end: SlotWorld['end']
let held: SlotWorld['held']

beforeAll(async () => {
  world = await createSlotWorld()
  ;({ system, query, addTenant, accept, end, held } = world)
})
afterAll(() => world.close())
beforeEach(() => world.clear())

test('an organisation never exceeds its limit of runs in flight, also under concurrent accepts', async () => {
  await ensureCellSlots(system, 100)
  const tenant = await addTenant(3)
  const batches = await Promise.all(Array.from({ length: 8 }, () => accept(tenant, 3, 100)))
  expect(batches.flatMap(startedOf)).toHaveLength(3)
  await admitRuns(system, { limit: 50, cellSlots: 100 })
  expect(await held(tenant)).toBe(3)
})

test('a run beyond ten times the limit in the queue is refused and leaves nothing behind', async () => {
  await ensureCellSlots(system, 100)
  const tenant = await addTenant(1)
  const runs = await accept(tenant, 14, 100)
  expect(runs.map(({ accepted }) => (accepted?.kind === 'accepted' ? accepted.started : accepted?.kind))).toEqual([
    true,
    ...Array.from({ length: 10 }, () => false),
    ...Array.from({ length: 3 }, () => 'queue_full'),
  ])
  const [{ stored } = { stored: 0 }] = await query('select count(*)::integer as stored from runs where org_id = $1', [
    tenant.org,
  ])
  expect(stored).toBe(11)
})

test('slots of the cell go to the organisation with the fewest runs in flight, and new runs do not pass waiting ones', async () => {
  await ensureCellSlots(system, 4)
  const noisy = await addTenant(50)
  const quiet = await addTenant(50)
  const first = startedOf(await accept(noisy, 40, 4))
  expect(first).toHaveLength(4)
  const [waiting] = await accept(quiet, 1, 4)
  await admitRuns(system, { limit: 50, cellSlots: 4 })
  await end(noisy, first[0] as string)
  // A slot is free, but another run waits for it: the noisy organisation's next run does not get it.
  expect(startedOf(await accept(noisy, 1, 4))).toEqual([])
  const { admitted, contended } = await admitRuns(system, { limit: 50, cellSlots: 4 })
  expect(admitted.map(({ run }) => run)).toEqual([waiting?.id])
  expect(contended).toBe(true)
})

test('an organisation that fills the cell leaves a fifth of it to organisations with few runs in flight', async () => {
  await ensureCellSlots(system, 20)
  const noisy = await addTenant(50)
  const quiet = await addTenant(50)
  expect(startedOf(await accept(noisy, 40, 20))).toHaveLength(16)
  expect(startedOf(await accept(quiet, 3, 20))).toHaveLength(2)
  const { admitted } = await admitRuns(system, { limit: 50, cellSlots: 20 })
  expect(admitted).toEqual([])
  const other = await addTenant(50)
  expect(startedOf(await accept(other, 1, 20))).toHaveLength(1)
  // The reserved slots go to the next run, also from the queue.
  const [late] = await accept(await addTenant(50), 1, 0)
  expect((await admitRuns(system, { limit: 50, cellSlots: 20 })).admitted.map(({ run }) => run)).toEqual([late?.id])
})

test('an order that can no longer be claimed is dropped and not sent forever', async () => {
  await ensureCellSlots(system, 2)
  const tenant = await addTenant(1)
  const [run] = await accept(tenant, 1, 2)
  await query('delete from run_heads where run_id = $1', [run?.id])
  expect(await takeDueOrders(system, { limit: 10, againAfterMs: 1 })).toEqual([])
  expect(await query('select run_id from outbox')).toEqual([])
})

test('once no run waits for the cell, new runs start at once again', async () => {
  await ensureCellSlots(system, 2)
  const tenant = await addTenant(50)
  const runs = await accept(tenant, 3, 2)
  await admitRuns(system, { limit: 50, cellSlots: 2 })
  for (const { id } of runs) await end(tenant, id)
  expect(await admitRuns(system, { limit: 50, cellSlots: 2 })).toEqual({ admitted: [], contended: false, gated: false })
  expect(startedOf(await accept(tenant, 2, 2))).toHaveLength(2)
})

test('two workers that admit concurrently assign every slot once', async () => {
  await ensureCellSlots(system, 10)
  const tenants = await Promise.all([addTenant(4), addTenant(4), addTenant(4)])
  for (const tenant of tenants) await accept(tenant, 12, 0)
  const rounds = await Promise.all(Array.from({ length: 4 }, () => admitRuns(system, { limit: 50, cellSlots: 10 })))
  const runs = rounds.flatMap(({ admitted }) => admitted.map(({ run }) => run))
  expect(new Set(runs).size).toBe(runs.length)
  await admitRuns(system, { limit: 50, cellSlots: 10 })
  expect(await Promise.all(tenants.map(held))).toEqual(expect.arrayContaining([4, 3, 3]))
  expect(await query('select run_id from cell_slots where run_id is not null')).toHaveLength(10)
})

test('under concurrent starts, ends and admissions, every run in flight holds distinct slots', async () => {
  await ensureCellSlots(system, 12)
  const tenants = await Promise.all([addTenant(5), addTenant(5), addTenant(5)])
  const mine = tenants.map(() => [] as string[])
  const play = async (tenant: Tenant, runs: string[]) => {
    for (let round = 0; round < 15; round++) {
      runs.push(...(await accept(tenant, 2, 12)).map(({ id }) => id))
      const [oldest] = round % 2 === 0 ? runs.splice(0, 1) : runs.splice(-1, 1)
      if (oldest) await end(tenant, oldest)
    }
  }
  const admitAll = async () => {
    for (let round = 0; round < 25; round++) await admitRuns(system, { limit: 5, cellSlots: 12 })
  }
  await Promise.all([
    ...tenants.map((tenant, at) => play(tenant, mine[at] as string[])),
    admitAll(),
    admitAll(),
    admitAll(),
  ])
  const wrong = await query(`select h.run_id from run_heads h
    where (h.slot is not null) <> exists (select from org_slots s where s.org_id = h.org_id and s.number = h.slot and s.run_id = h.run_id)
       or (h.cell_slot is not null) <> exists (select from cell_slots s where s.number = h.cell_slot and s.run_id = h.run_id)`)
  expect(wrong).toEqual([])
  expect(await freeLostSlots(system)).toBe(0)
})

test('a slot held by a deleted run is detected and freed', async () => {
  await ensureCellSlots(system, 2)
  const tenant = await addTenant(1)
  await accept(tenant, 1, 2)
  expect(await freeLostSlots(system)).toBe(0)
  await query('delete from run_heads')
  expect(await freeLostSlots(system)).toBe(2)
  expect(await held(tenant)).toBe(0)
})

test('a run that is cancelled while it gets its slots returns them', async () => {
  await ensureCellSlots(system, 2)
  const tenant = await addTenant(1)
  const [run] = await accept(tenant, 1, 0)
  const cancelled = await asClient(world.superuserUrl, async (client) => {
    // The admission, stopped before its commit: the cancel has begun by then and waits for the row of the run.
    await client.query('begin')
    await client.query('update run_heads set slot = 1, cell_slot = 1, rank = null where run_id = $1', [run?.id])
    await client.query('update org_slots set run_id = $1 where org_id = $2 and number = 1', [run?.id, tenant.org])
    await client.query('update cell_slots set run_id = $1 where number = 1', [run?.id])
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
  expect(await held(tenant)).toBe(0)
  expect(await query('select run_id from cell_slots where run_id is not null')).toEqual([])
})

import type { ClaimAsk, ClaimedItem } from '@ars/platform/work/queue'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld } from '../test/pipeline-world.ts'
import { coreBounds } from './bounds.ts'
import { pipelineWork } from './pipelines/run/head.store.ts'
import { claimRows, giveBackRow, renewRows } from './work-rows.store.ts'

let world: PipelineWorld

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())
beforeEach(() => world.sql('delete from pipeline_heads'))

const ask = (over: Partial<ClaimAsk> = {}): ClaimAsk => ({
  ...{ count: 8, heavyCount: 8, perOrg: 2, uses: [], leaseSeconds: 30, ...over },
})
const claim = async (over: Partial<ClaimAsk> = {}) => (await claimRows(world.system, pipelineWork, ask(over))).items
const plant = async (runs: number, org?: { org: string; agentId: string }) => {
  const first = await world.newRun({ steps: [{ key: 'a' }] }, org ? { org } : {})
  const ids = [first.id]
  for (let n = 1; n < runs; n++) ids.push((await world.newRun({ steps: [{ key: 'a' }] }, { org: first })).id)
  // The oldest first.
  for (const [at, id] of ids.entries())
    await world.sql(
      'update pipeline_heads set due_at = app_now() - make_interval(secs => $2) where pipeline_run_id = $1',
      [id, 1_000 - at],
    )
  return { org: first.org, ids }
}

test('each organisation has its turn, and those with little use come first', async () => {
  const busy = await plant(3)
  const other = await plant(2)
  const quiet = await plant(1)
  const uses = [
    { org: busy.org, places: 0, usedMs: 900, isHeavy: false, isResting: false },
    { org: other.org, places: 0, usedMs: 20, isHeavy: false, isResting: false },
  ]
  expect((await claim({ uses, count: 2 })).map(({ org }) => org).toSorted()).toEqual([other.org, quiet.org].toSorted())
  expect((await claim({ uses })).map(({ id }) => id).toSorted()).toEqual(
    [...busy.ids.slice(0, 2), other.ids[1]].toSorted(),
  )
})

test('places that are kept are not for an organisation with much use, and places that it holds count', async () => {
  const heavy = await plant(4)
  const uses = (places: number) => [{ org: heavy.org, places, usedMs: 5_000, isHeavy: true, isResting: false }]
  expect(await claim({ uses: uses(0), count: 2, heavyCount: 0 })).toEqual([])
  expect(await claim({ uses: uses(2), count: 2, heavyCount: 2 })).toEqual([])
  expect(await claim({ uses: uses(1), count: 3, heavyCount: 3 })).toHaveLength(1)
  const quiet = await plant(1)
  const items = await claim({ uses: uses(0), count: 3, heavyCount: 1 })
  expect(items.map(({ org }) => org)).toEqual([quiet.org])
})

test('nothing is claimed of an organisation that rests', async () => {
  const { org } = await plant(1)
  const rests = (isResting: boolean) => [{ org, places: 0, usedMs: 0, isHeavy: false, isResting }]
  expect(await claim({ uses: rests(true) })).toEqual([])
  expect(await claim({ uses: rests(false) })).toHaveLength(1)
})

test('the due rows of coreBounds.dueRowsCompared hide the row of another organisation only until their organisation has its places', async () => {
  const { count } = coreBounds.dueRowsCompared
  const { org, ids } = await plant(1)
  await world.sql(
    `insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at, due_at)
     select gen_random_uuid(), org_id, pipeline_id, deadline_at, due_at from pipeline_heads, generate_series(1, $2::integer) where pipeline_run_id = $1`,
    [ids[0], count],
  )
  const quiet = await plant(1)
  await world.sql('update pipeline_heads set due_at = app_now() where pipeline_run_id = $1', [quiet.ids[0]])
  const first = await claimRows(world.system, pipelineWork, ask())
  expect([first.items.length, first.isMore]).toEqual([2, true])
  const second = await claim({ uses: [{ org, places: 2, usedMs: 0, isHeavy: false, isResting: false }] })
  expect(second.map(({ id }) => id)).toEqual(quiet.ids)
})

test('a dead holder keeps a row for its lease, and says how long it was due', async () => {
  const { ids } = await plant(1)
  const [held] = await claim()
  expect(held).toMatchObject({ id: ids[0], tries: 0 })
  expect(held?.lagMs).toBeGreaterThanOrEqual(1_000_000)
  expect(await claim()).toEqual([])
  await world.moveClock(31_000)
  expect((await claim()).map(({ id }) => id)).toEqual(ids)
})

test('only the holder prolongs its lease and gives the row back, and a wake meanwhile is kept', async () => {
  const { org, ids } = await plant(1)
  const [older] = (await claim()) as [ClaimedItem]
  await world.moveClock(31_000)
  const [held] = (await claim()) as [ClaimedItem]
  const renew = async (item: ClaimedItem) => [
    ...(await renewRows(world.system, pipelineWork, { items: [item], leaseSeconds: 30 })),
  ]
  const standing = () =>
    world.sql('select held_until > app_now() as is_held, due_at <= app_now() as is_due, tries from pipeline_heads')
  expect([await renew(older), await renew(held)]).toEqual([[], ids])
  expect(await standing()).toEqual([{ is_held: true, is_due: false, tries: 0 }])
  await world.sql('update pipeline_heads set due_at = app_now()')
  await renew(held)
  await giveBackRow(world.app, org, pipelineWork, { ...older, tries: 3, afterMs: 60_000 })
  expect(await standing()).toEqual([{ is_held: true, is_due: true, tries: 0 }])
  await giveBackRow(world.app, org, pipelineWork, { ...held, tries: 2, afterMs: 60_000 })
  expect(await standing()).toEqual([{ is_held: null, is_due: true, tries: 2 }])
})

test('a lease that has ended is not prolonged', async () => {
  await plant(1)
  const items = await claim()
  await world.moveClock(31_000)
  expect([...(await renewRows(world.system, pipelineWork, { items, leaseSeconds: 30 }))]).toEqual([])
})

test('nothing of an organisation is claimed that moves to another cell', async () => {
  const { org } = await plant(1)
  await world.sql(`insert into closed_organisations (id, state, target) values ($1, 'moving', 'other')`, [org])
  expect(await claim()).toEqual([])
  await world.sql('delete from closed_organisations')
  expect(await claim()).toHaveLength(1)
})

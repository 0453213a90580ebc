import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import { openPipelineWorld, type PipelineWorld } from '../../test/pipeline-world.ts'
import { pipelineWork } from '../pipelines/run/head.store.ts'
import { claimRows, listWorkTables } from '../work-rows.store.ts'
import { readWork } from './work-use.store.ts'
import { createWorkUses } from './work-use.sweep.ts'

let world: PipelineWorld
beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

const turn = (org: string, turnMs: number) => ({ org, turnMs, lagMs: 0 })
const shareOf = async (org: string) => (await readWork(world.system, { org, limit: 10 }))[0]

test('what several workers did for an organisation in the last hour is one sum', async () => {
  const [org, other] = [await world.newOrg(), await world.newOrg()]
  const workers = [createWorkUses(world), createWorkUses(world)]
  for (const { onTurn, sweep } of workers) {
    onTurn('batches', 'done', turn(org, 1_500))
    onTurn('batches', 'failed', turn(org, 500))
    onTurn('batches', 'done', turn(other, 100))
    await sweep.run()
    // Nothing is counted twice.
    await sweep.run()
  }
  expect(await shareOf(org)).toMatchObject({ queue: 'batches', turns: 4, turn_seconds: 4, places: 0, due: 0 })
  const all = await readWork(world.system, { limit: 10 })
  expect(all.map(({ org_id, turn_seconds }) => [org_id, turn_seconds])).toEqual([
    [org, 4],
    [other, 0.2],
  ])
  await world.moveClock(30 * 60_000)
  workers[0]?.onTurn('batches', 'done', turn(org, 1_000))
  await workers[0]?.sweep.run()
  expect(await shareOf(org)).toMatchObject({ turns: 5, turn_seconds: 5 })
  // The slot of the first turns begins anew, and those of others are forgotten.
  await world.moveClock(30 * 60_000)
  workers[0]?.onTurn('batches', 'done', turn(org, 2_000))
  await workers[0]?.sweep.run()
  expect(await shareOf(org)).toMatchObject({ turns: 2, turn_seconds: 3 })
  await world.moveClock(70 * 60_000)
  workers[0]?.onTurn('mails', 'done', turn(org, 1))
  await workers[0]?.sweep.run()
  await deleteOldRows(world.system)
  expect(await world.sql('select from work_uses')).toHaveLength(1)
})

test('rows in work and rows that wait are those of the queue, whichever worker holds them', async () => {
  const first = await world.newRun({ steps: [{ key: 'a' }] })
  for (let n = 0; n < 3; n++) await world.newRun({ steps: [{ key: 'a' }] }, { org: first })
  await world.sql(`update pipeline_heads set due_at = app_now() - interval '9 seconds'`)
  await claimRows(world.system, pipelineWork, { count: 8, heavyCount: 8, perOrg: 1, uses: [], leaseSeconds: 30 })
  expect(await shareOf(first.org)).toMatchObject({ queue: 'pipeline-runs', places: 1, due: 3, turns: 0 })
  expect((await shareOf(first.org))?.oldest_due_seconds).toBeGreaterThan(8)
  expect(listWorkTables()).toContainEqual({
    ...{ queue: 'pipeline-runs', table: 'pipeline_heads', where: 'true', held: 'held_until' },
  })
})

test('an organisation that is deleted meanwhile leaves nothing', async () => {
  const { onTurn, sweep } = createWorkUses(world)
  onTurn('batches', 'done', turn('00000000-0000-7000-8000-000000000001', 5))
  await sweep.run()
  expect(await shareOf('00000000-0000-7000-8000-000000000001')).toBeUndefined()
})

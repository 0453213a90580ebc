import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld, watched } from '../../../test/pipeline-world.ts'
import { chain, wide } from './planned.fixture.ts'

let world: PipelineWorld

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

/** Statements between two deaths that are tried. */
const deathEvery = process.env.ARS_FULL_SIZE === 'true' ? 1 : 5

test('a worker that dies after any statement, and its successors, start each attempt once and end the pipeline run once', async () => {
  const org = await world.newRun(chain)
  await world.finish()
  let isOver = false
  for (let dieAfter = 1; !isOver; dieAfter += deathEvery) {
    const { id } = await world.newRun(wide, { org, input: { list: [1, 2] } })
    const app = watched(world.app, { dieAfter })
    const outcome = ({ item, attempt, step }: { item: number; attempt: number; step: string }) =>
      step === 'each' && item === 1 && attempt === 1 ? { code: 'model_failed' } : { output: { item } }
    // The whole life of the pipeline run with a worker that dies once, and with a healthy one after it.
    for (let turn = 0; turn < 30; turn++) {
      await world.advance(app.counts.statements < dieAfter ? { app: app.db } : {})
      await world.endRuns(outcome)
      if ((await world.rowOf(id)).status !== null) break
      await world.moveClock(31_000)
    }
    isOver = app.counts.statements < dieAfter
    expect([dieAfter, await world.rowOf(id)]).toMatchObject([
      dieAfter,
      { status: 'completed', output: { last: { item: 0 } } },
    ])
    const items = await world.itemsOf(id)
    expect(items.map(({ step, item, attempt }) => `${step}/${item}/${attempt}`)).toEqual([
      ...['each/0/1', 'each/1/1', 'each/1/2'],
      'last/0/1',
    ])
    expect([dieAfter, await world.runsOf(id), await world.eventsOf(id)]).toEqual([dieAfter, 4, 1])
    expect(await world.sql('select run_id from pipeline_waits where pipeline_run_id = $1', [id])).toEqual([])
  }
}, 900_000)

test('the statements and rows for an item of a fan-out do not grow with the number of items', async () => {
  const costs: { statements: number; rows: number }[] = []
  for (const items of [10, 100, 1_000]) {
    const { id } = await world.newRun(
      { steps: [{ key: 'each', for_each: 'input.list', max_parallel: 10, input: { n: '${{ item }}' } }] },
      { input: { list: Array.from({ length: items }, (_, n) => n) } },
    )
    const [app, system] = [watched(world.app), watched(world.system)]
    do await world.advance({ app: app.db, system: system.db })
    while ((await world.endRuns()) > 0)
    expect((await world.rowOf(id)).status).toBe('completed')
    costs.push({
      statements: (app.counts.statements + system.counts.statements) / items,
      rows: (app.counts.rows + system.counts.rows) / items,
    })
  }
  const [few, some, many] = costs
  expect(some?.statements).toBeLessThanOrEqual(few?.statements ?? 0)
  expect(many?.statements).toBeLessThanOrEqual(some?.statements ?? 0)
  expect(some?.rows).toBeLessThanOrEqual(1.1 * (few?.rows ?? 0))
  expect(many?.rows).toBeLessThanOrEqual(1.1 * (some?.rows ?? 0))
}, 600_000)

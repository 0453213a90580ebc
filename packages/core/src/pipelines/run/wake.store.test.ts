import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld } from '../../../test/pipeline-world.ts'

const newId = createIdMaker(systemClock)
let world: PipelineWorld

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

const tell = (org: string, run: string | undefined, event: { type: string; webhook?: string }) =>
  world.sql('insert into events (id, org_id, type, subject_id, webhook_id) values ($1, $2, $3, $4, $5)', [
    ...[toUuid(newId('evt')), org, event.type, run, event.webhook ?? null],
  ])

const waitsOf = async (id: string) =>
  (await world.sql('select run_id from pipeline_waits where pipeline_run_id = $1', [id])).length

test('only the end of a run wakes its pipeline run, and once', async () => {
  const { org, id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b' }] })
  await world.advance()
  const [a, b] = (await world.itemsOf(id)).map(({ run_id }) => run_id ?? undefined)
  await tell(org, a, { type: 'run.requires_action' })
  await tell(org, a, { type: 'run.completed', webhook: toUuid(newId('wh')) })
  expect(await world.wake()).toBe(0)
  expect(await waitsOf(id)).toBe(2)
  await tell(org, a, { type: 'run.completed' })
  await tell(org, b, { type: 'run.cancelled' })
  expect(await world.wake()).toBe(1)
  expect(await waitsOf(id)).toBe(0)
  await tell(org, b, { type: 'run.cancelled' })
  expect(await world.wake()).toBe(0)
})

test('a run that ends while its pipeline run is decided makes it due again', async () => {
  const { id } = await world.newRun({ steps: [{ key: 'a' }, { key: 'b' }] })
  await world.advance()
  await world.endRuns(({ step }) => (step === 'a' ? { output: {} } : 'goes on'))
  const deps = world.deps()
  // The other run ends after the decision and before the head is given back.
  await world.advance({
    app: {
      ...deps.app,
      transaction: async (org, work) => {
        const result = await deps.app.transaction(org, work)
        await world.endRuns()
        return result
      },
    },
  })
  expect((await world.rowOf(id)).status).toBe('completed')
})

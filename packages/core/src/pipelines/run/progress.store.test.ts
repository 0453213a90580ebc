import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld } from '../../../test/pipeline-world.ts'
import { closeItems, lockOpenItems } from './progress.store.ts'

let world: PipelineWorld

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

test('an item that is closed while its run is started gets no run', async () => {
  const { org, agentId, id } = await world.newRun({ steps: [{ key: 'a' }] })
  await world.advance({ startRun: () => Promise.reject(new Error('The worker has died')) })
  const attempt = { step: 'a', item: 0, attempt: 1 }
  const start = () =>
    world.startRun(org, {
      creator: { type: 'key', id },
      owner: null,
      agentId,
      input: {},
      timeoutSeconds: undefined,
      item: { ...attempt, pipelineRunId: id },
    })
  let starting: ReturnType<typeof start> | undefined
  let isOver = false
  await world.app.transaction(org, async (tx) => {
    expect(await lockOpenItems(tx, org, id)).toMatchObject([{ ...attempt, state: 'waiting', runId: null }])
    starting = start().finally(() => {
      isOver = true
    })
    await expect.poll(async () => isOver || (await world.isLockAwaited())).toBe(true)
    await closeItems(tx, org, { org, id }, [{ ...attempt, outcome: 'cancelled', code: null }])
  })
  expect(await starting).toEqual({ kind: 'taken' })
  expect(await world.runsOf(id)).toBe(0)
})

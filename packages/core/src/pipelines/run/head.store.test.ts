import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPipelineWorld, type PipelineWorld } from '../../../test/pipeline-world.ts'
import { claimRows } from '../../work-rows.store.ts'
import { type ClaimedHead, lockPipelineHead, pipelineWork } from './head.store.ts'

let world: PipelineWorld

beforeAll(async () => {
  world = await openPipelineWorld()
})
afterAll(() => world.close())

test('a worker that was frozen decides nothing about a pipeline run that another one has', async () => {
  const { org, id } = await world.newRun({ steps: [{ key: 'a' }] })
  const claim = async (): Promise<ClaimedHead> => {
    await world.sql('update pipeline_heads set due_at = app_now(), held_until = null where pipeline_run_id = $1', [id])
    const ask = { count: 8, heavyCount: 8, perOrg: 2, uses: [], leaseSeconds: 30 }
    const [held] = (await claimRows(world.system, pipelineWork, ask)).items
    if (!held) throw new Error('The pipeline run is not due')
    return held
  }
  const frozen = await claim()
  const held = await claim()
  const lock = (head: ClaimedHead) => world.app.transaction(org, (tx) => lockPipelineHead(tx, org, head))
  expect(await lock(frozen)).toBeNull()
  expect(await lock(held)).toMatchObject({ state: { status: 'running' } })
})

import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EngineWorld, openEngineWorld } from '../../../test/engine-world.ts'
import type { Segment } from '../run/segment.ts'
import { reconcileSweep } from './reconcile.sweep.ts'

const log = createLog({ level: 'silent' })
let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(() => world.close())

test('a run that the engine does not know starts again only if the engine does not know it a round later either', async () => {
  const segment = await world.startRun()
  await asClient(world.database.superuserUrl, (client) =>
    client.query(`update run_heads set progress_at = progress_at - interval '1 hour' where run_id = $1`, [segment.run]),
  )
  const clock = fakeClock()
  const sent: Segment[] = []
  const { run, everyMs } = reconcileSweep({
    system: world.system,
    engine: world.engine,
    dispatcher: { send: (again) => void sent.push(again), sendNow: () => Promise.resolve() },
    health: { partitions: new Map(), upPartitions: () => new Set(), answeredMs: () => 0 },
    partitionCount: 4,
    clock,
    log,
    quietMs: 15_000,
  })
  await run()
  await run()
  expect(sent).toEqual([])
  clock.advance(everyMs)
  await run()
  expect(sent).toEqual([{ ...segment, epoch: 2 }])
})

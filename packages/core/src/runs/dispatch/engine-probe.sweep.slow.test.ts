import { systemClock } from '@ars/platform/clock'
import { countFreedAttempts } from '@ars/platform/durable/attempt-memory'
import type { WorkerEndpoint } from '@ars/platform/durable/worker'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveLinked } from '../../../test/engine-workers.slow.ts'
import { type EngineWorld, openEngineWorld } from '../../../test/engine-world.ts'
import { createEngineProbe } from './engine-probe.sweep.ts'
import { engineProbeTarget } from './engine-probe.ts'
import { engineProbeWorkflow } from './engine-probe.workflow.ts'
import { createRegistration } from './registration.service.ts'

const log = createLog({ level: 'silent' })
const partitionCount = 4
const workers: WorkerEndpoint[] = []
let world: EngineWorld
beforeAll(async () => {
  world = await openEngineWorld()
})
afterAll(async () => {
  for (const worker of workers) await worker.close()
  await world.close()
})

/** A worker, and the probe that it runs. */
const startProbe = async () => {
  const { worker, link } = await serveLinked([engineProbeWorkflow()])
  workers.push(worker)
  const registration = createRegistration({ engine: world.engine, workerUrl: link.url, log })
  await registration.ensure()
  const probe = createEngineProbe({ engine: world.engine, registration, clock: systemClock, log, partitionCount })
  return { link, ...probe }
}

test('probes find every partition, and the engine keeps nothing of them', async () => {
  const { link, sweep, health } = await startProbe()
  expect(health.answeredMs()).toBe(Number.NEGATIVE_INFINITY)
  await sweep.run()
  expect([...health.partitions.keys()].toSorted()).toEqual([0, 1, 2, 3])
  expect([...health.partitions.values()]).not.toContain(null)
  expect(health.answeredMs()).toBeGreaterThan(Number.NEGATIVE_INFINITY)
  const kept = await world.engine.query(
    `select id, status from sys_invocation where target_service_name = '${engineProbeTarget.service}'`,
  )
  expect(kept).toEqual([])
  link.close()
})

test('if the worker that registered last is gone, another one registers again and gets the probes that waited', async () => {
  const first = await startProbe()
  await first.sweep.run()
  const last = await startProbe()
  last.link.set('refused')
  const answers = async () => {
    await first.sweep.run()
    return [...first.health.partitions.values()]
  }
  expect(await answers()).toEqual([null, null, null, null])
  await expect.poll(answers, { timeout: 120_000 }).not.toContain(null)
  first.link.close()
  last.link.close()
})

test('the memory that the SDK takes for an attempt is freed when the attempt has ended', async () => {
  const { link, sweep } = await startProbe()
  const before = countFreedAttempts()
  await sweep.run()
  await sweep.run()
  await expect.poll(countFreedAttempts).toBe(before + 2 * partitionCount)
  link.close()
})

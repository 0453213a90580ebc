import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunRows, runRows } from '../../../test/run-rows.ts'
import { createStopRequests } from './in-flight.sweep.ts'
import { createInFlight } from './in-flight.ts'

const log = createLog({ level: 'silent' })
const never = new AbortController().signal
let database: TestDatabase
let system: Database
let rows: RunRows
beforeAll(async () => {
  database = await createTestDatabase()
  system = openDatabase({ url: database.systemUrl, name: 'system', size: 2, acquireTimeoutMs: 30_000, log })
  rows = runRows(database)
})
afterAll(async () => {
  await system.close()
  await database.drop()
})

test('a request to stop is followed only if the database says that the run is no longer executed here', async () => {
  const inFlight = createInFlight()
  const [running, cancelled, restarted] = [await rows.start(), await rows.start(), await rows.start()]
  await rows.move(cancelled, 'cancel')
  const executions = [running, cancelled].map((runId) => inFlight.start({ runId, epoch: 1 }, never))
  const stale = inFlight.start({ runId: restarted, epoch: 0 }, never)
  const present = inFlight.start({ runId: restarted, epoch: 1 }, never)
  const requests = createStopRequests({ system, inFlight, log })
  for (const runId of ['nonsense', '', running, restarted, cancelled]) requests.hear(runId)
  await expect.poll(() => executions[1]?.signal.aborted && stale.signal.aborted).toBeTruthy()
  expect(executions[0]?.signal.aborted).toBe(false)
  expect(present.signal.aborted).toBe(false)
  requests.close()
})

test('a flood of forged requests to stop costs a few queries', async () => {
  let queries = 0
  const counting: Database = {
    ...system,
    once: (...args) => {
      queries++
      return system.once(...args)
    },
  }
  const inFlight = createInFlight()
  const run = await rows.start()
  const { signal } = inFlight.start({ runId: run, epoch: 1 }, never)
  const requests = createStopRequests({ system: counting, inFlight, log })
  for (let n = 0; n < 10_000; n++) requests.hear(n % 2 === 0 ? run : String(n))
  await expect.poll(() => queries).toBeGreaterThan(0)
  expect(queries).toBeLessThan(5)
  expect(signal.aborted).toBe(false)
  requests.close()
})

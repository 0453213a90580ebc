import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createEgress } from '@ars/platform/egress/egress'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { createGuardrails } from '../../guardrails/index.ts'
import { createModels } from '../../models/index.ts'
import { createSecrets } from '../../secrets/index.ts'
import { createSteps } from '../../steps/index.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { createDeltas } from '../feed/delta.service.ts'
import { findRun } from '../run/run.store.ts'
import { createInFlight } from './in-flight.ts'
import { createSegments } from './segment.service.ts'
import { claimSteps } from './segment.store.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let org: string
let agentId: string
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
  org = await addOrganisation(database)
  const seeded = await testAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(seeded.find(({ name }) => name === 'test-steps')?.id ?? '')
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const nobody = () => Promise.reject(new Error('nobody follows'))
const feed = { tell: () => undefined, follow: nobody, watch: nobody, close: () => undefined }

const segments = () =>
  createSegments({
    app,
    steps: createSteps({
      app,
      models: createModels({ modelsFile: undefined, environment: {}, clock: systemClock, log }),
      connectors: { openToolbox: () => Promise.reject(new Error('no tools here')) },
      guardrails: createGuardrails(),
      checks: { output: async () => [], schema: async () => [] },
      secrets: createSecrets({ app, keyring: undefined }),
      egress: createEgress(),
      clock: systemClock,
      log,
    }),
    feed,
    deltas: createDeltas({ app, feed, clock: systemClock, log }),
    admission: { nudge: () => undefined, slotFreed: () => undefined, admit: () => Promise.resolve() },
    dispatcher: { send: () => undefined, sendNow: () => Promise.resolve() },
    inFlight: createInFlight(),
    newId,
    clock: systemClock,
    log,
    onStep: () => undefined,
  })

const interruptedRun = async (times: number) => {
  const run = toUuid(newId('run'))
  const asked = {
    id: run,
    agentId,
    input: { steps: 2 },
    metadata: {},
    timeoutSeconds: null,
    bucket: 0,
    checkedVersion: 1,
    author: { type: 'key', id: '01890a5d-ac96-774b-bcce-b302099a8057', owner: null } as const,
    idempotency: undefined,
  }
  await acceptRuns(app, org, [asked], { relayAfterMs: 0, cellSlots: 100 })
  const segment = { org, run, epoch: 1, segment: 1, step: 1 }
  for (let n = 0; n < times; n++) await claimSteps(app, org, [{ segment, step: 1, alone: true }])
  return segment
}

test('a step that was interrupted twice is executed in isolation, and its run continues', async () => {
  const segment = await interruptedRun(2)
  const service = segments()
  const { signal } = new AbortController()
  expect(await service.advance(segment, 1, signal)).toBe('continue')
  expect(await service.advance(segment, 2, signal)).toBe('done')
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'completed' })
})

test('a step that was interrupted five times fails its run', async () => {
  const segment = await interruptedRun(5)
  expect(await segments().advance(segment, 1, new AbortController().signal)).toBe('done')
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } })
})

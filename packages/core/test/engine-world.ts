import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { openEngine } from '@ars/platform/durable/engine'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase } from '@ars/testkit/database'
import { testEngine } from '@ars/testkit/stack'
import { testAgents } from '../src/agents/agents.fixture.ts'
import { acceptRuns } from '../src/runs/accept/accept.store.ts'
import { claimSteps } from '../src/runs/execute/segment.store.ts'
import type { Segment } from '../src/runs/run/segment.ts'
import { addOrganisation } from './add-organisation.ts'
import { askedRun } from './asked-run.ts'

/** A database with an organisation, and a real engine: for tests of what the engine says about runs. */
export type EngineWorld = Awaited<ReturnType<typeof openEngineWorld>>

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

export const openEngineWorld = async () => {
  const database = await createTestDatabase()
  const open = (name: string, url: string) => openDatabase({ url, name, size: 3, acquireTimeoutMs: 30_000, log })
  const app = open('app', database.appUrl)
  const system = open('system', database.systemUrl)
  const { ingressUrl, adminUrl } = testEngine()
  const engine = openEngine({ ingressUrls: [ingressUrl], adminUrls: [adminUrl] })
  const org = await addOrganisation(database)
  const seeded = await testAgents({ app, newId }).seedTestFamily(org)
  const agentId = toUuid(seeded.find(({ name }) => name === 'test-steps')?.id ?? '')

  /** A run whose first step is claimed, and that no engine knows. */
  const startRun = async (): Promise<Segment> => {
    const run = toUuid(newId('run'))
    const asked = askedRun(agentId, { id: run, input: { steps: 2 } })
    await acceptRuns(app, org, [asked], { relayAfterMs: 0, cellSlots: 100 })
    const segment = { org, run, epoch: 1, segment: 1, step: 1 }
    await claimSteps(app, org, [{ segment, step: 1, claimId: toUuid(newId('claim')), alone: false }])
    return segment
  }

  const close = async (): Promise<void> => {
    await Promise.all([app.close(), system.close(), engine.close()])
    await database.drop()
  }
  return { database, app, system, engine, startRun, close }
}

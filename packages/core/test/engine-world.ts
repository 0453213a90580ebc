import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { openEngine } from '@ars/platform/durable/engine'
import { type DurableService, serveWorker, type WorkerEndpoint } from '@ars/platform/durable/worker'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { createTestDatabase } from '@ars/testkit/database'
import { type Link, openLink } from '@ars/testkit/slow/link'
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

  /** Workers of one object, with a unique name: the engine is shared, and a service has one newest address. */
  const startWorkers = async (handlers: DurableService['handlers']) => {
    const service = `Test${randomUUID().replaceAll('-', '')}`
    const opened: { worker: WorkerEndpoint; link: Link }[] = []
    /** At a new address, which the engine gets over a link that can be cut. */
    const startWorker = async (): Promise<Link> => {
      const linked = await serveLinked([{ name: service, kind: 'object', handlers }])
      const { link } = linked
      opened.push(linked)
      await engine.register(link.url)
      return link
    }
    /** How many invocations have each status, without those that have ended. */
    const statuses = async (): Promise<Record<string, number>> => {
      const rows = await engine.query<{ status: string; n: number }>(
        `select status, count(*) as n from sys_invocation
          where target_service_name = '${service}' and status != 'completed' group by status`,
      )
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
    }
    const close = async (): Promise<void> => {
      const left = await engine.query<{ id: string }>(
        `select id from sys_invocation where target_service_name = '${service}' and status != 'completed'`,
      )
      for (const { id } of left) await engine.kill(id)
      for (const { worker, link } of opened) {
        link.close()
        await worker.close()
      }
    }
    return { service, startWorker, statuses, close }
  }

  const close = async (): Promise<void> => {
    await Promise.all([app.close(), system.close(), engine.close()])
    await database.drop()
  }
  return { database, app, system, engine, startRun, startWorkers, close }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

/** A worker that the engine reaches over a link that can be cut. */
export const serveLinked = async (
  services: readonly DurableService[],
): Promise<{ worker: WorkerEndpoint; link: Link }> => {
  const port = await freePort()
  const worker = await serveWorker({
    services,
    host: '127.0.0.1',
    port,
    identityKeys: [testEngine().identityKey],
    maxInvocationMs: 60_000,
    log,
  })
  return { worker, link: await openLink(`http://127.0.0.1:${port}`) }
}

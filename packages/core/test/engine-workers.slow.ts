import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { type DurableService, serveWorker, type WorkerEndpoint } from '@ars/platform/durable/worker'
import { createLog } from '@ars/platform/log/log'
import { type Link, openLink } from '@ars/testkit/slow/link'
import { testEngine } from '@ars/testkit/stack'
import type { EngineWorld } from './engine-world.ts'

const log = createLog({ level: 'silent' })

/** Workers of one object, with a unique name: the engine is shared, and a service has one newest address. */
export const startWorkers = async ({ engine }: EngineWorld, handlers: DurableService['handlers']) => {
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

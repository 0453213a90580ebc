import net from 'node:net'
import { openEngine } from '@ars/platform/durable/engine'
import { type Durable, serveWorker } from '@ars/platform/durable/worker'
import { createLog } from '@ars/platform/log/log'
import { testEngine } from '@ars/testkit/stack'
import { expect, test } from 'vitest'
import { mismatchSweep } from './mismatch.sweep.ts'

const log = createLog({ level: 'silent' })

test('a segment with a journal mismatch is ended in the engine, and other segments are unaffected', async () => {
  const { ingressUrl, adminUrl, identityKey } = testEngine()
  const engine = openEngine({ ingressUrls: [ingressUrl], adminUrls: [adminUrl] })
  const service = `Odd${process.pid}`
  let tries = 0
  const port = await freePort()
  // A segment whose worker dies after its second step, and whose run ends before the retry.
  const odd = async (durable: Durable) => {
    tries++
    if (tries > 1) return 'stale'
    await durable.step('step-2', () => Promise.resolve('continue'))
    throw new Error('the worker falls')
  }
  const slow = async (durable: Durable) => {
    await new Promise((resolve) => durable.signal.addEventListener('abort', resolve))
    return 'done'
  }
  const worker = await serveWorker({
    services: [{ name: service, kind: 'service', handlers: { odd, slow } }],
    host: '127.0.0.1',
    port,
    identityKeys: [identityKey],
    log,
  })
  try {
    await engine.register(`http://127.0.0.1:${port}`)
    await engine.send({ service, handler: 'odd' }, {}, 'odd')
    await engine.send({ service, handler: 'slow' }, {}, 'slow')
    await expect.poll(async () => (await engine.listMismatched(service, 10)).length).toBe(1)
    await mismatchSweep({ engine, log, service }).run()
    const alive = () =>
      engine.query<{ handler: string }>(
        `select target_handler_name as handler from sys_invocation
          where target_service_name = '${service}' and status != 'completed'`,
      )
    await expect.poll(async () => (await alive()).length).toBe(1)
    expect(await alive()).toEqual([{ handler: 'slow' }])
    expect(await engine.listMismatched(service, 10)).toEqual([])
    const rows = await engine.query<{ id: string }>(
      `select id from sys_invocation where target_service_name = '${service}' and target_handler_name = 'slow'`,
    )
    for (const { id } of rows) await engine.kill(id)
    await expect.poll(async () => (await alive()).length).toBe(0)
  } finally {
    await worker.close()
    await engine.close()
  }
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

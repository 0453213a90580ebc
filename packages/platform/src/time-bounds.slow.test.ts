import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createTestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { platformBounds } from './bounds.ts'
import { systemClock } from './clock.ts'
import { openDatabase } from './db/database.ts'
import { findPoolerKind } from './db/pooler.ts'
import { openEngine } from './durable/engine.ts'
import { createEgress } from './egress/egress.ts'
import { createLog } from './log/log.ts'
import { openThread } from './pool-thread.ts'
import { createShutdown } from './shutdown.ts'

const log = createLog({ level: 'silent' })

/** A server that accepts connections and never answers. */
const silence = createServer((socket) => socket.on('error', () => undefined).resume())
let port = 0
beforeAll(async () => {
  await once(silence.listen(0, '127.0.0.1'), 'listening')
  port = (silence.address() as AddressInfo).port
})
afterAll(() => void silence.close())

const poolOf = (url: string) => openDatabase({ url, name: 'silent', size: 1, acquireTimeoutMs: 1_000, log })
const silentDatabase = (): string => `postgres://nobody@127.0.0.1:${port}/none`
const engine = () => {
  const urls = [`http://127.0.0.1:${port}`]
  return openEngine({ ingressUrls: urls, adminUrls: urls })
}
const target = { service: 'run', handler: 'go', object: 'one' }

/** What never answers, and when it is given up. */
const waits: readonly (readonly [row: string, ms: number, ask: () => Promise<unknown>])[] = [
  [
    'platformBounds.databaseConnect',
    platformBounds.databaseConnect.ms,
    async () => {
      const pool = poolOf(silentDatabase())
      // The caller waits less long, and the connection goes on for later callers.
      await pool.once(null, { text: 'select 1', values: [] }).catch(() => undefined)
      await expect.poll(() => pool.state().inUse, { timeout: 60_000 }).toBe(0)
    },
  ],
  ['platformBounds.databaseProbe', platformBounds.databaseProbe.ms, () => poolOf(silentDatabase()).findFault()],
  ['platformBounds.poolerCheck', platformBounds.poolerCheck.ms, () => findPoolerKind(silentDatabase())],
  ['platformBounds.engineSend', platformBounds.engineSend.ms, () => engine().send(target, {}, 'key')],
  ['platformBounds.engineCommand', platformBounds.engineCommand.ms, () => engine().register('http://worker.example')],
  [
    'platformBounds.egressLookup',
    platformBounds.egressLookup.ms,
    () => {
      const egress = createEgress({ resolver: () => new Promise(() => undefined) })
      const asked = egress.request({ url: 'https://silent.example/', org: 'o', method: 'GET' })
      return asked.finally(() => egress.close())
    },
  ],
  [
    'platformBounds.shutdownStep',
    platformBounds.shutdownStep.ms,
    async () => {
      const shutdown = createShutdown(log)
      shutdown.add('silent', () => new Promise(() => undefined))
      await shutdown.run('test')
    },
  ],
  [
    'platformBounds.threadTask',
    platformBounds.threadTask.ms,
    async () => {
      const program = new URL('./thread-program.fixture.ts', import.meta.url)
      const thread = openThread({ program, maxHeapMb: 320, clock: systemClock })
      await thread.ready
      await thread.run({ kind: 'wait', payload: null, maxCpuMs: 600_000 })
    },
  ],
]

test.concurrent.for(waits)('%s: what never answers is given up after this time', async ([, ms, ask], { expect }) => {
  const beganMs = performance.now()
  await ask().catch(() => undefined)
  const tookMs = performance.now() - beganMs
  expect(tookMs).toBeGreaterThan(0.95 * ms)
  // A busy computer adds some seconds, and a bound that is ten times as large more than that.
  expect(tookMs).toBeLessThan(2 * ms + 6_000)
})

test.concurrent('an idle connection is closed after platformBounds.databaseConnectionIdle', async ({
  onTestFinished,
  expect,
}) => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const pool = openDatabase({ url: database.appUrl, name: 'idle', size: 1, acquireTimeoutMs: 60_000, log })
  onTestFinished(() => pool.close())
  await pool.once(null, { text: 'select 1', values: [] })
  const { ms } = platformBounds.databaseConnectionIdle
  const idleSinceMs = performance.now()
  expect(pool.state().idle).toBe(1)
  await expect.poll(() => pool.state().idle, { timeout: 2 * ms + 5_000, interval: 200 }).toBe(0)
  expect(performance.now() - idleSinceMs).toBeGreaterThan(0.95 * ms)
})

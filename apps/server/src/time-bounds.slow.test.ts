import { systemClock } from '@ars/platform/clock'
import type { Session } from '@ars/platform/db/session'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, test } from 'vitest'
import { pauseAndMove } from './admin/move-org.ts'
import { moveRows } from './admin/move-rows.ts'
import { openSystem } from './admin/with-services.ts'
import { serverBounds } from './bounds.ts'
import { checkEngine } from './doctor/engine.ts'
import { checkRedis } from './doctor/redis.ts'

const org = '01890a5d-ac96-774b-bcce-b302099a8057'

/** How long the work took, and how it failed. */
const timed = async (work: () => Promise<unknown>): Promise<{ ms: number; error: string | null }> => {
  const beganMs = performance.now()
  const error = await work().then(
    () => null,
    (thrown: Error) => thrown.message,
  )
  return { ms: performance.now() - beganMs, error }
}

const expectAbout = (ms: number, wanted: number): void => {
  expect(ms).toBeGreaterThan(0.95 * wanted)
  expect(ms).toBeLessThan(2 * wanted + 4_000)
}

test('the doctor asks an absent Redis serverBounds.redisTries times', async () => {
  let tries = 0
  const version = async () => {
    tries++
    throw new Error('away')
  }
  const [finding] = await checkRedis({ config: { redisUrl: 'redis://away' }, pubSub: { version } } as never)
  expect([tries, finding?.found]).toEqual([serverBounds.redisTries.count, expect.stringContaining('away')])
})

test('the doctor waits serverBounds.workerAnswer for a worker', async () => {
  const engine = {
    checkIngress: async () => undefined,
    version: async () => '1.0.0',
    findAddress: async () => 'http://worker.example',
    call: () => new Promise(() => undefined),
    findWorkerFault: async () => null,
  }
  let findings: { what: string; found: string }[] = []
  const { ms } = await timed(async () => {
    findings = await checkEngine({ engine, clock: systemClock, config: {} } as never)
  })
  expect(findings.at(-1)).toMatchObject({ what: 'worker', found: 'does not respond through the engine' })
  expectAbout(ms, serverBounds.workerAnswer.ms)
})

test('a command waits serverBounds.commandConnection for a connection', async () => {
  const database = await createTestDatabase()
  const { appUrl, authUrl, feedUrl, systemUrl } = database
  const urls = { databaseUrl: appUrl, databaseAuthUrl: authUrl, databaseFeedUrl: feedUrl, databaseSystemUrl: systemUrl }
  const system = openSystem(urls as never)
  const end = Promise.withResolvers<void>()
  const held = [1, 2].map(() => system.transaction(null, () => end.promise))
  await expect.poll(() => system.state().inUse).toBe(2)
  const { ms, error } = await timed(() => system.once(null, { text: 'select 1', values: [] }))
  end.resolve()
  await Promise.allSettled(held)
  await system.close()
  await database.drop()
  expect(error).not.toBeNull()
  expectAbout(ms, serverBounds.commandConnection.ms)
})

/** A session whose cell does not become quiet. */
const restless = (unsettled: { events: number; ends: number; deliveries: number }): Session =>
  ({
    query: async (text: string) => {
      if (text.includes('as events')) return [unsettled]
      return text.includes('pg_locks') ? [{ transaction: '3/7' }] : []
    },
    change: async () => 0,
  }) as never

const cellsOf = (session: Session) => ({
  source: { owner: session, system: session },
  target: { owner: session, system: session },
})
const users = [{ name: 'users', columns: [{ name: 'id', type: 'uuid' }], partitionColumn: null }] as never

test('a move gives up after serverBounds.otherTransactions, and the organisation stays', async () => {
  const cells = cellsOf(restless({ events: 0, ends: 0, deliveries: 0 }))
  const said: string[] = []
  const move = { org, cells, tables: users, target: 't', say: (line: string) => void said.push(line) }
  const { ms, error } = await timed(() => pauseAndMove(move as never, { publish: () => undefined }))
  expect(error).toContain('did not end within')
  expectAbout(ms, serverBounds.otherTransactions.ms)
})

test('a move waits serverBounds.rowsSettle for positions, and serverBounds.deliveriesSettle for deliveries', async () => {
  const waiting = await timed(() =>
    moveRows(cellsOf(restless({ events: 1, ends: 0, deliveries: 0 })) as never, org, users),
  )
  expect(waiting.error).toContain('1 events have no position')
  expectAbout(waiting.ms, serverBounds.rowsSettle.ms)
  const sending = await timed(() =>
    moveRows(cellsOf(restless({ events: 0, ends: 0, deliveries: 1 })) as never, org, users),
  )
  expect(sending.error).toBeNull()
  expectAbout(sending.ms, serverBounds.deliveriesSettle.ms)
})

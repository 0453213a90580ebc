import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@ars/platform/clock'
import { DatabaseBusy, DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import { afterEach, expect, test, vi } from 'vitest'
import { modelsBounds } from '../src/models/bounds.ts'
import { openProviderAddress } from '../src/models/provider-address.service.ts'
import { retentionBounds } from '../src/retention/bounds.ts'
import { dropOldPartitions } from '../src/retention/partition.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { createEngineProbe } from '../src/runs/dispatch/engine-probe.sweep.ts'
import { createFeed } from '../src/runs/feed/feed.service.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'
import { createSender } from '../src/webhooks/deliver/sender.service.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const run = '01890a5d-ac96-774b-bcce-b302099a8058'
const _nothing = {} as never

afterEach(() => void vi.useRealTimers())

const since = async (work: () => Promise<unknown>): Promise<number> => {
  const beganMs = performance.now()
  await work().catch(() => undefined)
  return performance.now() - beganMs
}

test('a partition that is locked is tried again after at most retentionBounds.partitionPause', async () => {
  const triedMs: number[] = []
  const { db } = scriptedDatabase({
    'partitions.parents': () => [{ name: 'runs', now: new Date(20_000 * 86_400_000), today: 20_000 }],
    'partitions.list': () => [{ parent: 'runs', firstDay: 1, endDay: 2 }],
    'partitions.drop': () => {
      triedMs.push(performance.now())
      throw new DatabaseBusy('the table is locked')
    },
  })
  await dropOldPartitions({ system: db, log }, { days: 30, deltaHours: 1 }).catch(() => undefined)
  const { count } = retentionBounds.partitionTries
  const { ms } = retentionBounds.partitionPause
  const tookMs = (triedMs.at(-1) ?? 0) - (triedMs[0] ?? 0)
  // Each pause is between half of it and all of it.
  expect(tookMs).toBeGreaterThan(((count - 1) * ms) / 2 - 50)
  expect(tookMs).toBeLessThan(2 * (count - 1) * ms)
})

test('the end of a delivery is offered to an absent database as often as webhooksBounds.endTries says', async () => {
  let tries = 0
  const deliveries = {
    transaction: async () => {
      tries++
      throw new DatabaseUnavailable('away')
    },
    once: async () => {
      tries++
      throw new DatabaseUnavailable('away')
    },
  }
  const { end } = createSender({ deliveries, clock: systemClock, log } as never)
  await expect(end({ deliveryId: run } as never)).rejects.toThrow('away')
  // And once before them.
  expect(tries).toBe(webhooksBounds.endTries.count + 1)
})

test('a partition of the engine counts as silent after runsBounds.probeAnswer', async () => {
  const rows = [{ service_key: 'canary-1', partition_key: 1 }]
  const engine = { query: async () => rows, call: () => new Promise(() => undefined) }
  const registration = { ensure: async () => undefined }
  const given = { engine, registration, clock: systemClock, log, partitionCount: 1 }
  const { sweep, health } = createEngineProbe(given as never)
  const tookMs = await since(async () => sweep.run())
  expect([...health.partitions.values()]).toEqual([null])
  const { ms } = runsBounds.probeAnswer
  expect(tookMs).toBeGreaterThan(0.95 * ms)
  expect(tookMs).toBeLessThan(3 * ms)
})

test('a follower that was not armed is forgotten after runsBounds.followerUnarmed', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  const gone: string[] = []
  const feed = createFeed({
    feedReads: scriptedDatabase({}).db,
    pubSub: {
      subscribe: async () => undefined,
      unsubscribe: (channel: string) => void gone.push(channel),
      isUp: () => true,
    },
    log,
  } as never)
  await feed.watch(org, run, () => undefined)
  const { ms } = runsBounds.followerUnarmed
  await vi.advanceTimersByTimeAsync(ms - 6_000)
  expect(gone).toEqual([])
  // It looks every five seconds.
  await vi.advanceTimersByTimeAsync(12_000)
  expect(gone).toHaveLength(1)
  feed.close()
})

test('a worker has as many connections to a provider as modelsBounds.connectionsOfHost and modelsBounds.connections say', async () => {
  let connections = 0
  const server = createServer(() => undefined)
    .on('connection', () => connections++)
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const address = openProviderAddress(url, systemClock)
  const giveUp = new AbortController()
  const { count } = modelsBounds.connectionsOfHost
  const calls = Array.from({ length: count + 50 }, () =>
    address.fetch(url, { signal: giveUp.signal }).catch(() => null),
  )
  await expect.poll(() => connections, { timeout: 60_000 }).toBe(Math.min(count, modelsBounds.connections.count))
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(connections).toBe(count)
  giveUp.abort()
  await Promise.all(calls)
  address.close()
  server.closeAllConnections()
  server.close()
})

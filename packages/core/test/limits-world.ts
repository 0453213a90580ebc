import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { connectRedis, whenConnected } from '@ars/platform/redis/connection'
import { NoAnswer, openScripts, type Scripts } from '@ars/platform/redis/scripts'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { createLimits, type Limits } from '../src/limits/limit.service.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

/** A database that gateways are noted in, and limiters of gateways on one Redis. */
export type LimitsWorld = {
  database: TestDatabase
  feedReads: Database
  /** A gateway's limiter that counts its Redis calls. */
  startGateway(options?: { through?: string; isLate?: boolean }): Promise<{ limits: Limits; asked: number[] }>
  /** A client that writes to the same Redis. */
  openAttacker(): Promise<ReturnType<typeof connectRedis>>
  /** Ends what one test started. */
  endTest(): Promise<void>
  close(): Promise<void>
}

export const openLimitsWorld = async (redisUrl: string = testRedisUrl()): Promise<LimitsWorld> => {
  const database = await createTestDatabase()
  const feedReads = openDatabase({ url: database.feedUrl, name: 'feed', size: 2, log, acquireTimeoutMs: 30_000 })
  const closers: (() => Promise<void> | void)[] = []
  return {
    database,
    feedReads,
    startGateway: async ({ through = redisUrl, isLate = false } = {}) => {
      const asked: number[] = []
      // Long enough for a busy machine: a live gateway must not count as gone.
      const redis = await openScripts({ url: through, log, answerTimeoutMs: 1_000 })
      const scripts: Scripts = {
        ...redis,
        run: (script, keys, values) => {
          const answer = redis.run(script, keys, values)
          // Redis executes the call and answers after the caller has given up.
          if (isLate && asked.length === 0) answer.catch(() => undefined)
          asked.push(keys.length)
          return isLate && asked.length === 1 ? Promise.reject(new NoAnswer(1_000, answer)) : answer
        },
      }
      const limits = createLimits({ scripts, feedReads, clock: systemClock, newId, log })
      closers.push(async () => {
        await limits.close()
        redis.close()
      })
      return { limits, asked }
    },
    openAttacker: async () => {
      const client = connectRedis({ url: testRedisUrl(), name: 'attacker', log })
      await whenConnected([client])
      closers.push(() => client.destroy())
      return client
    },
    endTest: async () => {
      for (const close of closers.splice(0)) await close()
    },
    close: async () => {
      await feedReads.close()
      await database.drop()
    },
  }
}

/** One token per minute, so that none is refilled while a test runs. */
export const newBucket = (burst: number, requestsPerMinute = 1) => ({ id: newId('key'), requestsPerMinute, burst })

export const passesOf = async (
  limits: Limits,
  bucket: ReturnType<typeof newBucket>,
  count: number,
): Promise<number> => {
  const verdicts = await Promise.all(Array.from({ length: count }, () => limits.take(bucket)))
  return verdicts.filter(({ allowed }) => allowed).length
}

import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { holdSoleLock } from './sole-process.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const hold = (onLost = (): void => undefined) => holdSoleLock({ url: database.appUrl, log, onLost })

const ask = async (sql: string): Promise<number | undefined> => {
  const client = new pg.Client({ connectionString: database.superuserUrl })
  await client.connect()
  try {
    return (await client.query<{ pid: number }>(sql)).rows[0]?.pid
  } finally {
    await client.end()
  }
}

/** Ends the connection that holds the lock, as a restart of Postgres does. */
const cut = (): Promise<unknown> =>
  ask(`select pid, pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'ars-sole' and datname = current_database()`)

/** The backend that holds the lock, seen without trying for it. */
const holder = (): Promise<number | undefined> =>
  ask(`select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and objid = 7305246 and granted and datname = current_database()`)

test('only one process of a database holds the lock, and the next one gets it when the first has ended', async () => {
  const first = await hold()
  expect(first).not.toBeNull()
  expect(await hold()).toBeNull()
  await first?.close()
  const second = await hold()
  expect(second).not.toBeNull()
  await second?.close()
})

test('a process that lost its connection while another one took the lock hears of it', async () => {
  let isLost = false
  const first = await hold(() => {
    isLost = true
  })
  await cut()
  let taken: Awaited<ReturnType<typeof hold>> = null
  const take = async (): Promise<boolean> => {
    taken = await hold()
    return taken !== null
  }
  await expect.poll(take).toBe(true)
  await expect.poll(() => isLost, { timeout: 15_000 }).toBe(true)
  await Promise.all([first, taken].map((each: Awaited<ReturnType<typeof hold>>) => each?.close()))
})

test('a process that lost its connection and finds no other one goes on', async () => {
  let isLost = false
  const first = await hold(() => {
    isLost = true
  })
  const before = await holder()
  await cut()
  const isHeldAgain = async (): Promise<boolean> => {
    const now = await holder()
    return now !== undefined && now !== before
  }
  await expect.poll(isHeldAgain, { timeout: 15_000 }).toBe(true)
  expect(isLost).toBe(false)
  await first?.close()
})

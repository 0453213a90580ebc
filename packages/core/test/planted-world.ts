import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog, type Log } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { addOrganisation } from './add-organisation.ts'

/** A database for rows that are inserted without the service, with partitions for the week before. */
export type PlantedWorld = {
  database: TestDatabase
  app: Database
  system: Database
  log: Log
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  newOrg(): Promise<string>
  /** Whether a transaction waits for another one. */
  isLockAwaited(): Promise<boolean>
  close(): Promise<void>
}

/** `parents`: the tables that get the partitions. */
export const openPlantedWorld = async (parents: readonly string[]): Promise<PlantedWorld> => {
  const database = await createTestDatabase()
  const log = createLog({ level: 'error', write: () => undefined })
  const open = (url: string, name: string) => openDatabase({ url, name, size: 4, acquireTimeoutMs: 30_000, log })
  const app = open(database.appUrl, 'test-app')
  const system = open(database.systemUrl, 'test-system')
  const sql = <Row>(text: string, values: unknown[] = []) =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])
  await sql(makeWeekBefore, [parents])
  return {
    database,
    app,
    system,
    log,
    sql,
    newOrg: () => addOrganisation(database),
    isLockAwaited: async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await sql(waiting)).length > 0
    },
    close: async () => {
      await Promise.all([app.close(), system.close()])
      await database.drop()
    },
  }
}

// A new database has partitions since yesterday.
const makeWeekBefore = `select make_partition(parent, (app_now() at time zone 'utc')::date - days, 1)
  from unnest($1::text[]) as parent, generate_series(2, 8) as days`

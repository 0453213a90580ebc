import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, type IdMaker } from '@ars/platform/id'
import { createLog, type Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { App } from './app.ts'

type Deps = { system: Database; newId: IdMaker; log: Log }

/** One round of a periodic job of the worker, which would come at its next turn. */
export const runNow = async (app: App, sweepOf: (deps: Deps) => Sweep): Promise<void> => {
  const log = createLog({ level: 'silent' })
  const system = openDatabase({ url: app.database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  try {
    await sweepOf({ system, newId: createIdMaker(systemClock), log }).run()
  } finally {
    await system.close()
  }
}

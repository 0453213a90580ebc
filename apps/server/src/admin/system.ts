import type { Config } from '@ars/core/config'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'

/** The database as a command of the operator's uses it, across organisations and without the other parts. */
export const openSystem = ({ databaseSystemUrl }: Pick<Config, 'databaseSystemUrl'>): Database =>
  openDatabase({
    url: databaseSystemUrl,
    name: 'admin',
    size: 2,
    acquireTimeoutMs: 10_000,
    log: createLog({ level: 'error', write: (line) => process.stderr.write(line) }),
  })

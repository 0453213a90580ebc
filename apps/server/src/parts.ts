import type { Parts } from '@ars/core'
import type { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { openEngine } from '@ars/platform/durable/engine'
import { createIdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { openWakeups } from '@ars/platform/redis/redis'

const authPoolSize = 2
const systemPoolSize = 6

/** Opens the machines that the product stands on. None of them needs to be up for this to succeed. */
export const openParts = async (
  config: Config,
  log: Log,
  onAcquire: (pool: string, waitedMs: number) => void,
): Promise<Parts & { close(): Promise<void> }> => {
  const open = (name: string, url: string, size: number): Database =>
    openDatabase({ url, name, size, log, onAcquire: (waitedMs) => onAcquire(name, waitedMs) })
  const databases = {
    app: open('app', config.databaseUrl, config.databasePoolSize),
    steps: open('steps', config.databaseUrl, config.databasePoolSize),
    auth: open('auth', config.databaseAuthUrl, authPoolSize),
    system: open('system', config.databaseSystemUrl, systemPoolSize),
  }
  const [wakeups] = await Promise.all([
    openWakeups({ url: config.redisUrl, log }),
    ...Object.values(databases).map((database) => database.warm()),
  ])
  const engine = openEngine({ ingressUrl: config.engineIngressUrl, adminUrl: config.engineAdminUrl })
  return {
    config,
    ...databases,
    wakeups,
    engine,
    clock: systemClock,
    newId: createIdMaker(systemClock),
    log,
    close: async () => {
      wakeups.close()
      await engine.close()
      await Promise.all(Object.values(databases).map((database) => database.close()))
    },
  }
}

import type { Parts } from '@ars/core'
import type { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { openEngine } from '@ars/platform/durable/engine'
import { createIdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { openWakeups } from '@ars/platform/redis/redis'
import { openEgress } from './egress.ts'
import { openKeyring } from './keyring.ts'

const authPoolSize = 2
const systemPoolSize = 6

/** Opens the machines that the product stands on. None of them needs to be up for this to succeed. */
export const openParts = async (
  config: Config,
  environment: NodeJS.ProcessEnv,
  log: Log,
  onAcquire: (pool: string, waitedMs: number) => void,
): Promise<Parts & { close(): Promise<void> }> => {
  // First what may be mistyped: a bad value stops the start before anything was opened.
  const keyring = openKeyring(config)
  const egress = openEgress(config)
  const open = (name: string, url: string, size: number): Database =>
    openDatabase({
      url,
      name,
      size,
      acquireTimeoutMs: config.databaseAcquireTimeoutMs,
      log,
      onAcquire: (waitedMs) => onAcquire(name, waitedMs),
    })
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
    environment,
    ...databases,
    wakeups,
    engine,
    egress,
    keyring,
    clock: systemClock,
    newId: createIdMaker(systemClock),
    log,
    close: async () => {
      wakeups.close()
      egress.close()
      await engine.close()
      await Promise.all(Object.values(databases).map((database) => database.close()))
    },
  }
}

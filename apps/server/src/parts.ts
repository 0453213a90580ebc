import type { Parts } from '@ars/core'
import type { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { openEngine } from '@ars/platform/durable/engine'
import { createIdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createLoad } from '@ars/platform/overload'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { openScripts } from '@ars/platform/redis/scripts'
import { openEgress } from './egress.ts'
import { openKeyring } from './keyring.ts'

const authPoolSize = 2
const loginPoolSize = 2
const systemPoolSize = 6
const deliveryPoolSize = 4
// Together with the wait for a connection this is less than a second; then the request fails and the client can retry.
// Steps of runs wait up to the statement timeout, because no client waits for them.
const apiLockTimeoutMs = 300
// The share of the API's connections for accepting runs. The rest is reserved for reads and cancellations.
const commitShare = 0.7

/** What the metrics hear about pools, by their names. */
export type PoolMetrics = {
  onAcquire(pool: string, waitedMs: number): void
  onError(pool: string, reason: string): void
}

/** Opens the components of the platform. None of them needs to be up. */
export const openParts = async (
  config: Config,
  environment: NodeJS.ProcessEnv,
  log: Log,
  pools?: PoolMetrics,
): Promise<Parts & { poolsUp(): Map<string, boolean>; close(): Promise<void> }> => {
  // Settings are parsed first: an invalid value stops the start before anything is opened.
  const keyring = openKeyring(config, environment)
  const [egress, deliveryEgress] = [openEgress(config), openEgress(config)]
  const open = (name: string, url: string, size: number, rest: { lockTimeoutMs?: number } = {}): Database =>
    openDatabase({
      ...rest,
      url,
      name,
      size,
      acquireTimeoutMs: config.databaseAcquireTimeoutMs,
      log,
      onAcquire: (waitedMs) => pools?.onAcquire(name, waitedMs),
      onError: (reason) => pools?.onError(name, reason),
    })
  const databases = {
    app: open('app', config.databaseUrl, config.databasePoolSize, { lockTimeoutMs: apiLockTimeoutMs }),
    steps: open('steps', config.databaseUrl, config.databasePoolSize),
    auth: open('auth', config.databaseAuthUrl, authPoolSize),
    logins: open('logins', config.databaseAuthUrl, loginPoolSize),
    system: open('system', config.databaseSystemUrl, systemPoolSize),
    deliveries: open('deliveries', config.databaseSystemUrl, deliveryPoolSize),
  }
  const [pubSub, scripts] = await Promise.all([
    openPubSub({ url: config.redisUrl, log }),
    openScripts({ url: config.redisUrl, log }),
    ...Object.values(databases).map((database) => database.warm()),
  ])
  const load = createLoad(systemClock, { maxCommits: Math.ceil(config.databasePoolSize * commitShare) })
  const engine = openEngine({ ingressUrl: config.engineIngressUrl, adminUrl: config.engineAdminUrl })
  return {
    config,
    environment,
    ...databases,
    pubSub,
    scripts,
    engine,
    egress,
    deliveryEgress,
    keyring,
    load,
    clock: systemClock,
    newId: createIdMaker(systemClock),
    log,
    poolsUp: () => new Map(Object.entries(databases).map(([name, database]) => [name, database.isUp()])),
    close: async () => {
      load.close()
      pubSub.close()
      scripts.close()
      egress.close()
      deliveryEgress.close()
      await engine.close()
      await Promise.all(Object.values(databases).map((database) => database.close()))
    },
  }
}

import { type GatewayParts, type Parts, threadProgram } from '@ars/core'
import type { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase, type PoolState } from '@ars/platform/db/database'
import type { Login } from '@ars/platform/db/logins'
import { openEngine } from '@ars/platform/durable/engine'
import { createIdMaker } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { createLoad } from '@ars/platform/overload'
import { createLocalPubSub } from '@ars/platform/redis/local-pub-sub'
import { createMessageSeal, messagePurpose } from '@ars/platform/redis/message-seal'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { openScripts } from '@ars/platform/redis/scripts'
import { createThreadPool } from '@ars/platform/thread-pool'
import type { Tracer } from '@ars/platform/trace/tracer'
import { serverBounds } from './bounds.ts'
import { databaseLoginsOf, systemLoginOf } from './database-logins.ts'
import { openEgress } from './egress.ts'
import { openKeyring } from './keyring.ts'
import { openMailServer } from './smtp.ts'

/** The most connections of each pool. */
const poolSizesOf = ({ databasePoolSize }: Config) => ({
  app: databasePoolSize,
  steps: databasePoolSize,
  auth: 2,
  logins: 2,
  feedReads: 3,
  system: 6,
  deliveries: 4,
})
// Together with the wait for a connection this is less than a second; then the request fails and the client can retry.
// Steps of runs wait up to the statement timeout, because no client waits for them.
const apiLockTimeoutMs = serverBounds.apiLock.ms
// A command has no client with a deadline, and its first connections take longer than a request may wait on a busy machine.
const minCommandAcquireMs = 10_000
// The share of the API's connections for accepting runs. The rest is reserved for reads and cancellations.
const commitShare = 0.7

/** What the metrics hear about pools, by their names. */
type PoolMetrics = {
  onAcquire(pool: string, waitedMs: number): void
  onError(pool: string, reason: string): void
}

/** The pools that each role uses. They are opened in advance; the others stay empty. */
export const poolsOf = {
  gateway: ['app', 'auth', 'logins', 'feedReads'],
  worker: ['steps', 'feedReads', 'system', 'deliveries'],
  all: ['app', 'steps', 'auth', 'logins', 'feedReads', 'system', 'deliveries'],
} as const

export type Role = keyof typeof poolsOf

/** The most database connections that a process of this role opens. */
export const maxConnectionsOf = (role: Role, config: Config): number => {
  const sizes = poolSizesOf(config)
  // Without Redis, one more holds the lock of `sole-process.ts`.
  return poolsOf[role].reduce((sum, pool) => sum + sizes[pool], config.redisUrl === undefined ? 1 : 0)
}

type Opening = {
  config: Config
  environment: NodeJS.ProcessEnv
  log: Log
  pools?: PoolMetrics
  tracer?: Tracer | undefined
  /** Undefined: a command, which opens a pool when it uses it. */
  role?: Role
}

/** `pools`: those that the role uses. */
type Opened = { pools(): Map<string, PoolState>; close(): Promise<void> }

/** Opens the components of a gateway. None of them needs to be up, and none bypasses row-level security. */
export const openGatewayParts = async (opening: Opening): Promise<GatewayParts & Opened> => {
  const { config, environment, log, role } = opening
  // Settings are parsed first: an invalid value stops the start before anything is opened.
  const keyring = openKeyring(config, environment)
  const egress = openEgress(config)
  const open = opener(opening)
  const { app, auth, feed } = databaseLoginsOf(config)
  const databases = {
    app: open('app', app, { lockTimeoutMs: apiLockTimeoutMs }),
    auth: open('auth', auth),
    logins: open('logins', auth),
    feedReads: open('feedReads', feed),
  }
  const [pubSub, scripts] = await Promise.all([
    config.redisUrl === undefined ? createLocalPubSub(log) : openPubSub({ url: config.redisUrl, log }),
    config.redisUrl === undefined ? undefined : openScripts({ url: config.redisUrl, log }),
    warm(databases, role),
  ])
  const load = createLoad(systemClock, { maxCommits: Math.ceil(config.databasePoolSize * commitShare) })
  const threads = createThreadPool({ program: threadProgram, clock: systemClock, log })
  const engine = openEngine({ ingressUrls: config.engineIngressUrl, adminUrls: config.engineAdminUrl })
  return {
    config,
    environment,
    ...databases,
    pubSub,
    seal: keyring && createMessageSeal(keyring.derive(messagePurpose), log),
    scripts,
    engine,
    egress,
    keyring,
    load,
    threads,
    clock: systemClock,
    newId: createIdMaker(systemClock),
    log,
    pools: () => statesOf(databases, role),
    tracer: opening.tracer,
    close: async () => {
      load.close()
      await threads.close()
      pubSub.close()
      scripts?.close()
      egress.close()
      await engine.close()
      await closeAll(databases)
    },
  }
}

/** Opens the components of a worker, with those of a gateway. */
export const openParts = async (opening: Opening): Promise<Parts & Opened> => {
  const { config, role } = opening
  const [{ app }, system] = [databaseLoginsOf(config), systemLoginOf(config)]
  const smtp = openMailServer(config, systemClock)
  const open = opener(opening)
  const gateway = await openGatewayParts(opening)
  const databases = {
    steps: open('steps', app),
    system: open('system', system),
    deliveries: open('deliveries', system),
  }
  await warm(databases, role)
  const deliveryEgress = openEgress(config)
  return {
    ...gateway,
    ...databases,
    deliveryEgress,
    smtp,
    pools: () => new Map([...gateway.pools(), ...statesOf(databases, role)]),
    close: async () => {
      deliveryEgress.close()
      await Promise.all([gateway.close(), closeAll(databases)])
    },
  }
}

const opener =
  ({ config, log, pools, role }: Opening) =>
  (name: keyof ReturnType<typeof poolSizesOf>, login: Login, rest: { lockTimeoutMs?: number } = {}): Database =>
    openDatabase({
      ...rest,
      ...login,
      name,
      size: poolSizesOf(config)[name],
      acquireTimeoutMs: Math.max(role === undefined ? minCommandAcquireMs : 0, config.databaseAcquireTimeoutMs),
      log,
      onAcquire: (waitedMs) => pools?.onAcquire(name, waitedMs),
      onError: (reason) => pools?.onError(name, reason),
    })

const warm = (databases: Record<string, Database>, role: Role | undefined): Promise<unknown> => {
  const used: readonly string[] = role === undefined ? [] : poolsOf[role]
  return Promise.all(Object.entries(databases).map(([name, database]) => used.includes(name) && database.warm()))
}

const closeAll = (databases: Record<string, Database>): Promise<unknown> =>
  Promise.all(Object.values(databases).map((database) => database.close()))

const statesOf = (databases: Record<string, Database>, role: Role = 'all'): Map<string, PoolState> => {
  const used: readonly string[] = poolsOf[role]
  const states = Object.entries(databases).map(([name, database]) => [name, database.state()] as const)
  return new Map(states.filter(([name]) => used.includes(name)))
}

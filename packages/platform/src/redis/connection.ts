import { createClient } from 'redis'
import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'

export type RedisConnection = ReturnType<typeof connectRedis>

/** Whether the outage was logged: one line per outage, not one per reconnect attempt; and its last cause. */
export type Outage = { isLogged: boolean; cause?: unknown }

const connectTimeoutMs = platformBounds.redisConnect.ms
const reconnectMs = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2000)

/**
 * A connection that reconnects automatically. Commands that cannot be sent fail at once. Commands that were sent have
 * no timeout, because the timeout of the library ends with the sending; callers that need a response in time set one.
 */
export const connectRedis = ({
  url,
  name,
  log,
  sendTimeoutMs,
  idleTimeoutMs,
  outage = { isLogged: false },
}: {
  url: string
  name: string
  log: Log
  sendTimeoutMs?: number
  /** A connection over which nothing is sent or received for this long is closed and made again. */
  idleTimeoutMs?: number
  /** Shared by connections that replace each other. */
  outage?: Outage
}) => {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    ...(sendTimeoutMs !== undefined && { commandOptions: { timeout: sendTimeoutMs } }),
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: reconnectMs,
      ...(idleTimeoutMs !== undefined && { socketTimeout: idleTimeoutMs }),
    },
  })
  client.on('error', (error: unknown) => {
    if (!outage.isLogged) log.warn('redis is unavailable', { connection: name, error })
    outage.isLogged = true
    outage.cause = error
  })
  client.on('ready', () => {
    outage.cause = undefined
    if (outage.isLogged) log.info('redis is available again', { connection: name })
    outage.isLogged = false
  })
  // An unavailable Redis must not prevent the start: the client keeps reconnecting.
  client.connect().catch(() => undefined)
  return client
}

/** Resolves when all connections are ready, or after a timeout. */
export const whenConnected = async (clients: readonly RedisConnection[]): Promise<void> => {
  await Promise.race([
    Promise.all(clients.map(whenReady)),
    new Promise((resolve) => setTimeout(resolve, connectTimeoutMs).unref()),
  ])
}

const whenReady = (client: RedisConnection): Promise<unknown> =>
  client.isReady ? Promise.resolve() : new Promise((resolve) => client.once('ready', resolve))

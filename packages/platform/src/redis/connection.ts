import { createClient } from 'redis'
import type { Log } from '../log/log.ts'

export type RedisConnection = ReturnType<typeof connectRedis>

/** Whether an outage was told of: one line each, not one for every attempt to reconnect. */
export type Outage = { isTold: boolean }

const connectTimeoutMs = 2000
const reconnectMs = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2000)

/**
 * A connection that is opened, and opened again, by itself. What cannot be sent at once is refused at once; what was sent
 * and is not answered is not, because the library's time-out ends with the sending: whoever needs an answer in time minds
 * the time.
 */
export const connectRedis = ({
  url,
  name,
  log,
  sendTimeoutMs,
  outage = { isTold: false },
}: {
  url: string
  name: string
  log: Log
  sendTimeoutMs?: number
  /** Shared by connections that take each other's place. */
  outage?: Outage
}) => {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    ...(sendTimeoutMs !== undefined && { commandOptions: { timeout: sendTimeoutMs } }),
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: reconnectMs },
  })
  client.on('error', (error: unknown) => {
    if (!outage.isTold) log.warn('redis is away', { connection: name, error })
    outage.isTold = true
  })
  client.on('ready', () => {
    if (outage.isTold) log.info('redis is back', { connection: name })
    outage.isTold = false
  })
  // A Redis that is away must not keep the service from starting: the client goes on trying by itself.
  client.connect().catch(() => undefined)
  return client
}

/** Resolves when all can be used, or after a while without them. */
export const whenConnected = async (clients: readonly RedisConnection[]): Promise<void> => {
  await Promise.race([
    Promise.all(clients.map(whenReady)),
    new Promise((resolve) => setTimeout(resolve, connectTimeoutMs).unref()),
  ])
}

const whenReady = (client: RedisConnection): Promise<unknown> =>
  client.isReady ? Promise.resolve() : new Promise((resolve) => client.once('ready', resolve))

import { createClient } from 'redis'
import type { Log } from '../log/log.ts'

/**
 * Wake-ups between processes. Everything here may be lost at any moment: whoever listens also looks into Postgres
 * from time to time, and looks more often while `isUp()` is false.
 */
export type Wakeups = {
  /** Best effort: a message that cannot be sent at once is dropped. */
  publish(channel: string, message: string): void
  /** Resolves when the subscription stands, or at once when Redis is away; it is renewed on reconnect. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  unsubscribe(channel: string): void
  isUp(): boolean
  /** The server's version, for `doctor`. */
  version(): Promise<string>
  close(): void
}

const commandTimeoutMs = 50
const connectTimeoutMs = 2000
const reconnectMs = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 6), 2000)

export const openWakeups = async ({ url, log }: { url: string; log: Log }): Promise<Wakeups> => {
  const connect = () =>
    createClient({
      url,
      disableOfflineQueue: true,
      commandOptions: { timeout: commandTimeoutMs },
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: reconnectMs },
    })
  const sender = connect()
  const listener = connect()
  for (const [name, client] of [['sender', sender] as const, ['listener', listener] as const]) {
    let told = false
    client.on('error', (error: unknown) => {
      // One line per outage, not one per attempt to reconnect.
      if (!told) log.warn('redis is away', { connection: name, error })
      told = true
    })
    client.on('ready', () => {
      if (told) log.info('redis is back', { connection: name })
      told = false
    })
  }
  const listeners = new Map<string, (message: string) => void>()
  listener.on('ready', () => {
    for (const [channel, listen] of listeners) void listener.subscribe(channel, listen).catch(() => undefined)
  })
  // A Redis that is away must not keep the service from starting: the clients go on trying by themselves.
  for (const client of [sender, listener]) client.connect().catch(() => undefined)
  await Promise.race([
    Promise.all([whenReady(sender), whenReady(listener)]),
    new Promise((resolve) => setTimeout(resolve, connectTimeoutMs).unref()),
  ])

  return {
    publish: (channel, message) => {
      if (sender.isReady) sender.publish(channel, message).catch(() => undefined)
    },
    subscribe: async (channel, listen) => {
      listeners.set(channel, listen)
      if (listener.isReady) await listener.subscribe(channel, listen).catch(() => undefined)
    },
    unsubscribe: (channel) => {
      const listen = listeners.get(channel)
      listeners.delete(channel)
      if (listener.isReady) listener.unsubscribe(channel, listen).catch(() => undefined)
    },
    isUp: () => sender.isReady && listener.isReady,
    version: async () => /redis_version:(\S+)/.exec(await sender.info('server'))?.[1] ?? 'unknown',
    close: () => {
      sender.destroy()
      listener.destroy()
    },
  }
}

const whenReady = (client: { isReady: boolean; once(event: 'ready', listener: () => void): unknown }): Promise<void> =>
  client.isReady ? Promise.resolve() : new Promise((resolve) => client.once('ready', resolve))

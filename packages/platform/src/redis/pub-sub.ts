import type { Log } from '../log/log.ts'
import { whenConnected } from './connection.ts'
import { openWatched, type WatchedConnection } from './watched-connection.ts'

/**
 * Wake-ups between processes. Messages can be lost: subscribers also poll Postgres, and more often while `isUp()` is
 * false.
 */
export type PubSub = {
  /** Best effort: a message that cannot be sent immediately is dropped. */
  publish(channel: string, message: string): void
  /**
   * Resolves when the subscription is active, at once if Redis is unavailable, and after 100 ms if it does not respond.
   * The subscription is renewed on reconnect.
   */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  unsubscribe(channel: string): void
  isUp(): boolean
  /** The server's version, for `doctor`. */
  version(): Promise<string>
  close(): void
}

const commandTimeoutMs = 50
const maxSubscribeMs = 100
// An idle connection is asked too: otherwise a Redis that hangs would look healthy until the next subscription.
const pingEveryMs = 500
const maxPingMs = 400

export const openPubSub = async ({ url, log }: { url: string; log: Log }): Promise<PubSub> => {
  const listeners = new Map<string, (message: string) => void>()
  const sender = openWatched({ url, name: 'sender', log, sendTimeoutMs: commandTimeoutMs })
  const listener = openWatched({
    url,
    name: 'listener',
    log,
    sendTimeoutMs: commandTimeoutMs,
    onReady: (client) => {
      for (const [channel, listen] of listeners) void client.subscribe(channel, listen).catch(() => undefined)
    },
  })
  const pings = setInterval(() => {
    for (const link of [sender, listener]) void ping(link)
  }, pingEveryMs)
  await whenConnected([sender.client(), listener.client()])

  return {
    publish: (channel, message) => {
      const client = sender.client()
      if (client.isReady) client.publish(channel, message).catch(() => undefined)
    },
    subscribe: async (channel, hear) => {
      // Redis is not trusted. An error that a message causes here would end the process.
      const listen = (message: string): void => {
        try {
          hear(message)
        } catch (error) {
          log.warn('a message from Redis could not be processed', { channel, error })
        }
      }
      listeners.set(channel, listen)
      if (!listener.client().isReady) return
      await listener.ask((client) => client.subscribe(channel, listen), maxSubscribeMs).catch(() => undefined)
    },
    unsubscribe: (channel) => {
      const listen = listeners.get(channel)
      listeners.delete(channel)
      const client = listener.client()
      if (client.isReady) client.unsubscribe(channel, listen).catch(() => undefined)
    },
    isUp: () => sender.isUp() && listener.isUp(),
    version: async () => /redis_version:(\S+)/.exec(await sender.client().info('server'))?.[1] ?? 'unknown',
    close: () => {
      clearInterval(pings)
      sender.close()
      listener.close()
    },
  }
}

const ping = async (link: WatchedConnection): Promise<void> => {
  if (link.client().isReady) await link.ask((client) => client.ping(), maxPingMs).catch(() => undefined)
}

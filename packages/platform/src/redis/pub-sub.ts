import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'
import { type RedisConnection, whenConnected } from './connection.ts'
import { openWatched } from './watched-connection.ts'

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

const commandTimeoutMs = platformBounds.redisCommand.ms
const maxSubscribeMs = platformBounds.redisSubscribe.ms
const maxVersionMs = platformBounds.redisVersion.ms

export const openPubSub = async ({ url, log }: { url: string; log: Log }): Promise<PubSub> => {
  const listeners = new Map<string, (message: string) => void>()
  /** Channels that the library renews on reconnect, also if they were unsubscribed while Redis was away. */
  const renewed = new Set<string>()
  const sender = openWatched({ url, name: 'sender', log, sendTimeoutMs: commandTimeoutMs })
  const listener = openWatched({
    url,
    name: 'listener',
    log,
    sendTimeoutMs: commandTimeoutMs,
    onReady: (client) => {
      for (const channel of renewed) if (!listeners.has(channel)) client.unsubscribe(channel).catch(() => undefined)
      renewed.clear()
      for (const [channel, listen] of listeners) send(client, channel, listen).catch(() => undefined)
    },
  })
  const send = (client: RedisConnection, channel: string, listen: (message: string) => void): Promise<void> => {
    renewed.add(channel)
    return client.subscribe(channel, listen)
  }
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
      await listener.ask((client) => send(client, channel, listen), maxSubscribeMs).catch(() => undefined)
    },
    unsubscribe: (channel) => {
      const listen = listeners.get(channel)
      listeners.delete(channel)
      const client = listener.client()
      if (!client.isReady) return
      const forget = (): unknown => listeners.has(channel) || renewed.delete(channel)
      client.unsubscribe(channel, listen).then(forget, () => undefined)
    },
    isUp: () => sender.isUp() && listener.isUp(),
    version: async () => {
      const info = await sender
        .ask((client) => client.info('server'), maxVersionMs)
        .catch((error: unknown) => {
          // The library only says that it is not connected.
          throw sender.cause() ?? error
        })
      return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown'
    },
    close: () => {
      sender.close()
      listener.close()
    },
  }
}

import type { Log } from '../log/log.ts'
import { connectRedis, whenConnected } from './connection.ts'

/**
 * Wake-ups between processes. Messages can be lost: subscribers also poll Postgres, and more often while `isUp()` is
 * false.
 */
export type PubSub = {
  /** Best effort: a message that cannot be sent immediately is dropped. */
  publish(channel: string, message: string): void
  /** Resolves when the subscription is active, or at once if Redis is unavailable; it is renewed on reconnect. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  unsubscribe(channel: string): void
  isUp(): boolean
  /** The server's version, for `doctor`. */
  version(): Promise<string>
  close(): void
}

const commandTimeoutMs = 50

export const openPubSub = async ({ url, log }: { url: string; log: Log }): Promise<PubSub> => {
  const sender = connectRedis({ url, name: 'sender', log, sendTimeoutMs: commandTimeoutMs })
  const listener = connectRedis({ url, name: 'listener', log, sendTimeoutMs: commandTimeoutMs })
  const listeners = new Map<string, (message: string) => void>()
  listener.on('ready', () => {
    for (const [channel, listen] of listeners) void listener.subscribe(channel, listen).catch(() => undefined)
  })
  await whenConnected([sender, listener])

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

import type { Log } from '../log/log.ts'
import type { PubSub } from './pub-sub.ts'

/** Notifications within one process, for an installation without Redis. Messages of other processes do not arrive. */
export const createLocalPubSub = (log: Log): PubSub => {
  const listeners = new Map<string, (message: string) => void>()
  return {
    // Later, as over a network: a publisher never runs the code of a subscriber.
    publish: (channel, message) => {
      if (!listeners.has(channel)) return
      setImmediate(() => {
        try {
          listeners.get(channel)?.(message)
        } catch (error) {
          log.warn('a message could not be processed', { channel, error })
        }
      })
    },
    subscribe: async (channel, listener) => {
      listeners.set(channel, listener)
    },
    unsubscribe: (channel) => void listeners.delete(channel),
    isUp: () => true,
    version: async () => 'none',
    close: () => listeners.clear(),
  }
}

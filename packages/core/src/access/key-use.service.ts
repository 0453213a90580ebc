import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { noteUses } from './access.store.ts'

/** When keys were last used: noted in memory, and written for all of them together every few seconds. */
export type KeyUses = {
  note(keyId: string): void
  /** Writes what has been noted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushEveryMs = 10_000
/** Keys that are used for the first time in these seconds beyond so many are noted the next time. */
const notedMost = 10_000

export const createKeyUses = (deps: {
  auth: Database
  clock: Clock
  log: Log
  everyMs?: number | undefined
}): KeyUses => {
  let notes = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  let isClosed = false

  const write = async (): Promise<void> => {
    if (notes.size === 0) return
    const taken = notes
    notes = new Map()
    const nowMs = deps.clock.monotonicMs()
    const uses = [...taken].map(([keyId, atMs]) => ({ keyId, agoMs: Math.max(0, nowMs - atMs) }))
    try {
      await noteUses(deps.auth, uses)
    } catch (error) {
      // What was noted since is newer and stays; the rest is tried again.
      for (const [keyId, atMs] of taken) if (notes.size < notedMost && !notes.has(keyId)) notes.set(keyId, atMs)
      deps.log.warn('uses of keys could not be written', { keys: taken.size, error })
    }
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(write)
    return flushing
  }

  const wind = (): void => {
    if (isClosed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void flush().then(() => notes.size > 0 && wind())
    }, deps.everyMs ?? flushEveryMs)
    // It keeps no process alive; whoever closes has the rest written.
    timer.unref()
  }

  return {
    note: (keyId) => {
      if (notes.size >= notedMost && !notes.has(keyId)) return
      notes.set(keyId, deps.clock.monotonicMs())
      wind()
    },
    flush,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await flush()
    },
  }
}

import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { noteUses } from './access.store.ts'
import { accessBounds } from './bounds.ts'

/** The last use of keys: collected in memory, and stored for all of them every few seconds. */
export type KeyUses = {
  note(keyId: string): void
  /** Stores everything collected so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushEveryMs = 10_000
/** More keys than this within one interval are recorded in the next one. */
const maxNoted = accessBounds.keyUsesNoted.count

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
      // Newer entries stay; the rest is tried again.
      for (const [keyId, atMs] of taken) if (notes.size < maxNoted && !notes.has(keyId)) notes.set(keyId, atMs)
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
    // The timer does not keep the process alive; closing stores the rest.
    timer.unref()
  }

  return {
    note: (keyId) => {
      if (notes.size >= maxNoted && !notes.has(keyId)) return
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

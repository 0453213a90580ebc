import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { runsBounds } from '../bounds.ts'
import type { Dispatcher } from '../dispatch/dispatcher.service.ts'
import { admitRuns } from './admission.store.ts'
import { type AdmissionResult, type AdmissionSettings, runsPerAdmission } from './admission-result.ts'

/** Admits runs that wait, first those of the organisations with the fewest runs in progress. */
export type AdmissionService = {
  /**
   * Sends what a look of another statement has admitted. If that look found another admission under way, looks again soon,
   * beginning at the same organisation.
   */
  follow(look: AdmissionResult, org: string): void
  /** Runs wait, or one has ended: looks at once. */
  nudge(): void
  /** A run has ended. Looks if the last look left runs waiting. */
  slotFreed(): void
  /** Resolves when no run can be admitted any more. */
  admit(): Promise<void>
}

const lookAgainMs = 4
// An admission takes milliseconds, and a process that stops in the middle of one loses its transaction within a second. After
// this many looks the sweep goes on.
const maxBusyLooks = runsBounds.busyLooks.count
/** Organisations that the next looks begin at. Beyond them, a look begins anywhere. */
const maxStarts = runsBounds.admissionStarts.count

type Deps = AdmissionSettings & {
  db: Database
  dispatcher: Dispatcher
  log: Log
  /** Called when a look leaves runs waiting. */
  onLeft?: () => void
}

export const createAdmission = (deps: Deps): AdmissionService => {
  let underWay: Promise<void> | undefined
  let othersWait = false
  /** Where looks must still begin; null: anywhere. */
  const starts = new Set<string | null>()

  const lookFrom = (start: string | null): void => void starts.add(starts.size < maxStarts ? start : null)

  /** Whether the look must be repeated: another admission was under way, or this one was full. */
  const take = (look: AdmissionResult): boolean => {
    for (const segment of look.admitted) deps.dispatcher.send(segment)
    if (look.busy) return true
    othersWait = look.left
    if (look.left) deps.onLeft?.()
    return look.admitted.length >= runsPerAdmission
  }

  const looks = async (): Promise<void> => {
    let busyLooks = 0
    try {
      for (const start of starts) {
        starts.delete(start)
        const look = await admitRuns(deps.db, deps, start)
        if (look.busy && ++busyLooks > maxBusyLooks) return starts.clear()
        if (take(look)) lookFrom(start)
        if (look.busy) await sleep(lookAgainMs)
      }
    } finally {
      underWay = undefined
    }
  }

  const admitFrom = (start: string | null): Promise<void> => {
    lookFrom(start)
    underWay ??= looks()
    return underWay
  }

  const nudgeFrom = (start: string | null): void => {
    admitFrom(start).catch((error: unknown) => deps.log.warn('runs could not be admitted', { error }))
  }

  return {
    admit: () => admitFrom(null),
    nudge: () => nudgeFrom(null),
    follow: (look, org) => {
      if (take(look)) void sleep(lookAgainMs).then(() => nudgeFrom(org))
    },
    slotFreed: () => {
      if (othersWait) nudgeFrom(null)
    },
  }
}

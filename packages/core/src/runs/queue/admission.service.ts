import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Dispatcher } from '../dispatch/dispatcher.service.ts'
import { admitRuns } from './admission.store.ts'
import { type AdmissionSettings, type Look, runsPerLook } from './look.ts'

/** Admits runs that wait, first those of the organisations with the fewest runs in progress. */
export type AdmissionService = {
  /** Sends what a look of another statement has admitted, and looks again soon if it was not the last word. */
  follow(look: Look): void
  /** Runs wait, or one has ended: looks at once. */
  nudge(): void
  /** A run has ended. Looks if the last look left runs waiting. */
  placeFreed(): void
  /** Resolves when no run can be admitted any more. */
  admit(): Promise<void>
}

const lookAgainMs = 4
// An admission takes milliseconds, and a process that stops in the middle of one loses its transaction within a second. After
// this many looks the sweep goes on.
const maxBusyLooks = 250

type Deps = AdmissionSettings & {
  db: Database
  dispatcher: Dispatcher
  log: Log
  /** Called when a look leaves runs waiting. */
  onLeft?: () => void
}

export const createAdmission = (deps: Deps): AdmissionService => {
  let underWay: Promise<void> | undefined
  let again = false
  let othersWait = false

  const take = (look: Look): 'done' | 'again' => {
    for (const segment of look.admitted) deps.dispatcher.send(segment)
    if (look.busy) return 'again'
    othersWait = look.left
    if (look.left) deps.onLeft?.()
    return look.admitted.length < runsPerLook ? 'done' : 'again'
  }

  const looks = async (): Promise<void> => {
    let busyLooks = 0
    do {
      again = false
      const look = await admitRuns(deps.db, deps)
      if (look.busy && ++busyLooks > maxBusyLooks) return
      if (take(look) === 'again') again = true
      if (look.busy) await sleep(lookAgainMs)
    } while (again)
  }

  const admit = (): Promise<void> => {
    again = true
    underWay ??= looks().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  const nudge = (): void => {
    admit().catch((error: unknown) => deps.log.warn('runs could not be admitted', { error }))
  }

  return {
    admit,
    nudge,
    follow: (look) => {
      if (take(look) === 'again') void sleep(lookAgainMs).then(nudge)
    },
    placeFreed: () => {
      if (othersWait) nudge()
    },
  }
}

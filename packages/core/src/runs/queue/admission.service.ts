import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Dispatcher } from '../dispatch/dispatcher.service.ts'
import { openGates } from './gate.store.ts'
import { admitRuns } from './slot.store.ts'

/** Opens the gates of agents and assigns free slots, first to the organisation with the fewest runs in progress. */
export type AdmissionService = {
  /** Runs wait, and a slot may be free: admit at once. */
  nudge(): void
  /** A slot was freed. Admits runs if the last round left some waiting. */
  slotFreed(): void
  /** Resolves when no run can be admitted any more. */
  admit(): Promise<void>
}

const runsPerRound = 50

export const createAdmission = (deps: {
  system: Database
  dispatcher: Dispatcher
  cellSlots: number
  log: Log
}): AdmissionService => {
  let underWay: Promise<void> | undefined
  let again = false
  // The last round left runs waiting for a slot of the cell, so each freed slot starts another round.
  let othersWait = false

  const rounds = async (): Promise<void> => {
    for (;;) {
      again = false
      const { admitted, contended, gated } = await admitRuns(deps.system, {
        limit: runsPerRound,
        cellSlots: deps.cellSlots,
      })
      for (const segment of admitted) deps.dispatcher.send(segment)
      othersWait = contended
      const letIn = gated ? await openGates(deps.system, { limit: runsPerRound }) : 0
      if (!again && admitted.length < runsPerRound && letIn === 0) return
    }
  }

  const admit = (): Promise<void> => {
    again = true
    underWay ??= rounds().finally(() => {
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
    slotFreed: () => {
      if (othersWait) nudge()
    },
  }
}

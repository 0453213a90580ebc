import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { openGates } from './gate.store.ts'
import type { Sender } from './sender.service.ts'
import { admitRuns } from './slot.store.ts'

/** Lets runs in at the gates of their agents, and gives free slots out, to the organisation with the fewest under way first. */
export type AdmissionService = {
  /** Some wait, and a slot may be free: look at once. */
  nudge(): void
  /** A slot came free. Whether anybody waits is not known; if the last look found some, look again. */
  slotFreed(): void
  /** Resolves when there is nothing more to give. */
  admit(): Promise<void>
}

const runsPerRound = 50

export const createAdmission = (deps: {
  system: Database
  sender: Sender
  cellSlots: number
  log: Log
}): AdmissionService => {
  let underWay: Promise<void> | undefined
  let again = false
  // Until the next look finds nobody, each slot that comes free here is worth a look.
  let othersWait = false

  const rounds = async (): Promise<void> => {
    for (;;) {
      again = false
      const { admitted, contended, gated } = await admitRuns(deps.system, {
        limit: runsPerRound,
        cellSlots: deps.cellSlots,
      })
      for (const segment of admitted) deps.sender.send(segment)
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

import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import { renewEpoch } from './event-clock.store.ts'

/** Gives the history of the database a new epoch after it moved to another timeline. Gateways then close their streams. */
export const eventEpochSweep = (deps: { system: Database; newId: IdMaker; log: Log }): Sweep => {
  let isRefused = false
  return {
    name: 'event-epoch',
    everyMs: 1_000,
    run: async () => {
      if (isRefused) return
      try {
        const isNew = await renewEpoch(deps.system, toUuid(deps.newId('epoch')))
        if (isNew) deps.log.warn('the database is on another timeline; open streams are closed')
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error
        // Some hosted databases do not tell their timeline. Gateways still notice positions that went back.
        isRefused = true
        deps.log.warn('the timeline of the database cannot be read', { error })
      }
    },
  }
}

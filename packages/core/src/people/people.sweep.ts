import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { peopleBounds } from './bounds.ts'
import { deleteOldDevices } from './device.store.ts'
import { deleteOldAttempts, deleteOldLinks, deleteOldSessions } from './people.store.ts'

const rowsPerRound = peopleBounds.oldRowsTogether.count
/** How long ended sessions and links can still be looked up. */
const keptDays = 30

/** Deletes ended sessions and links in small batches, so that no login waits for the clean-up. */
export const peopleSweep = ({ system }: { system: Database }): Sweep => ({
  name: 'people',
  everyMs: 600_000,
  run: async () => {
    while ((await deleteOldAttempts(system, limits.loginWindowSeconds, rowsPerRound)) === rowsPerRound);
    while ((await deleteOldSessions(system, keptDays, rowsPerRound)) === rowsPerRound);
    while ((await deleteOldDevices(system, rowsPerRound)) === rowsPerRound);
    while ((await deleteOldLinks(system, keptDays, rowsPerRound)) === rowsPerRound);
  },
})

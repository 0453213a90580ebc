import type { Database } from '@ars/platform/db/database'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { accessBounds } from './bounds.ts'
import { deleteExpiredShares } from './run-share.store.ts'
import { deleteExpiredTokens } from './session-token.store.ts'

const everyMs = 60_000
const atATime = accessBounds.oldTokensTogether.count

/** Deletes expired tokens and links to runs, which have been invalid since. */
export const sessionTokenSweep = (deps: { system: Database }): Sweep => ({
  name: 'session_tokens',
  everyMs,
  run: async () => {
    for (const deleteSome of [deleteExpiredTokens, deleteExpiredShares]) {
      await whilePagesAreFull(atATime, () => deleteSome(deps.system, atATime))
    }
  },
})

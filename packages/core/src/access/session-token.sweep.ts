import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import { deleteExpiredTokens } from './session-token.store.ts'

const everyMs = 60_000
const atATime = 1_000
/** The rest waits for the next round, so that a heap of tokens does not hold up the worker. */
const roundsMost = 50

/** Tokens that have expired go. They were of no use since; this only frees their room. */
export const sessionTokenSweep = (deps: { system: Database }): Sweep => ({
  name: 'session_tokens',
  everyMs,
  run: async () => {
    for (let round = 0; round < roundsMost; round++) {
      if ((await deleteExpiredTokens(deps.system, atATime)) < atATime) return
    }
  },
})

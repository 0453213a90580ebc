import type { Database } from '@ars/platform/db/database'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { guardrailsBounds } from '../bounds.ts'
import { deleteUnusedSets } from './policy-set.store.ts'

const setsPerPage = guardrailsBounds.unusedSetsTogether.count

/** Deletes sets of policies that were replaced before the oldest run that is kept. */
export const unusedSetSweep = (deps: { system: Database }): Sweep => ({
  name: 'unused-policy-sets',
  everyMs: 3_600_000,
  run: () => whilePagesAreFull(setsPerPage, () => deleteUnusedSets(deps.system, setsPerPage)),
})

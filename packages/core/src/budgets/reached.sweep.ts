import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { recordEvent } from '../events/index.ts'
import { budgetsBounds } from './bounds.ts'
import { toWireBudget } from './budget.ts'
import { type ChangedSpend, listChanged, lockReached, noteTold } from './reached.store.ts'
import { reachedPercents } from './reached.ts'

type Deps = { system: Database; newId: IdMaker; log: Log }

const budgetsPerPage = budgetsBounds.budgetsTogether.count

/**
 * Announces budgets that are reached. The mark and the events are one transaction under the lock of the budget, so any number of
 * workers announce once. Steps do not wait for it: they only mark the counters that they change.
 */
export const reachedSweep = (deps: Deps): Sweep => ({
  name: 'budgets',
  everyMs: 1000,
  run: () =>
    whilePagesAreFull(budgetsPerPage, async () => {
      const changed = await listChanged(deps.system, budgetsPerPage)
      for (const each of changed) {
        // One budget that cannot be announced must not hold up the others.
        await announce(deps, each).catch((error: unknown) => {
          deps.log.error('a budget could not be compared with what was spent', { org_id: each.org_id, error })
        })
      }
      return changed.length
    }),
})

const announce = (deps: Deps, { org_id: org, subject_id: subjectId }: ChangedSpend): Promise<void> =>
  deps.system.transaction(org, async (tx) => {
    const budget = await lockReached(tx, org, subjectId)
    if (!budget) return
    for (const percent of reachedPercents(budget)) {
      await noteTold(tx, org, { subjectId, percent })
      await recordEvent(tx, org, {
        id: toUuid(deps.newId('evt')),
        type: 'budget.reached',
        subjectId,
        data: toWireBudget({ ...budget, reached_percent: percent }),
      })
    }
  })

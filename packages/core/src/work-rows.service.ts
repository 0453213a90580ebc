import type { Database } from '@ars/platform/db/database'
import type { ClaimedItem, WorkQueue } from '@ars/platform/work/queue'
import type { WorkRows } from './work-rows.sql.ts'
import { claimRows, giveBackRow, renewRows } from './work-rows.store.ts'

/** How a queue holds its rows. `system` claims and prolongs those of all organisations, `app` gives back a row of one. */
export const holdRows = (
  rows: WorkRows,
  { system, app }: { system: Database; app: Database },
): Pick<WorkQueue<ClaimedItem>, 'claim' | 'renew' | 'giveBack'> => ({
  claim: (ask) => claimRows(system, rows, ask),
  renew: (items, leaseSeconds) => renewRows(system, rows, { items, leaseSeconds }),
  giveBack: ({ org, id, claim }, back) => giveBackRow(app, org, rows, { id, claim, ...back }),
})

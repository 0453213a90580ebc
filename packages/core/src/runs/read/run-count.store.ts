import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'
import { runsBounds } from '../bounds.ts'

/** Runs of each kind are counted up to this number. Runs that wait for a person may be many. */
const countedMax = runsBounds.runsCounted.count

// crosses organisations: a metric for the operator.
export const countRuns = (db: Database): Promise<{ status: string; runs: number }[]> =>
  db.once(null, counts({ countedMax }))

// crosses organisations: a metric for the operator.
export const countAdmitted = async (db: Database): Promise<number> =>
  (await db.once(null, admitted({ countedMax })))[0]?.runs ?? 0

const admitted = statement<{ countedMax: number }, { runs: number }>(
  'sweep.count_admitted',
  sql`select count(*)::integer as runs from (select 1 from run_heads where is_admitted limit :countedMax) counted`,
)

const counts = statement<{ countedMax: number }, { status: string; runs: number }>(
  'sweep.counts',
  sql`select status, count(*)::integer as runs from (
        (select status from run_heads where is_admitted limit :countedMax)
        union all (select status from run_heads where waits_for is not null limit :countedMax)
        union all (select status from run_heads where waits_for is null and not is_admitted limit :countedMax)) counted
       group by status`,
)

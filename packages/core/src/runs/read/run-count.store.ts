import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement } from '@ars/platform/db/statement'

// crosses organisations: a metric for the operator.
export const countRuns = (db: Database): Promise<{ status: string; runs: number }[]> => db.once(null, counts())

const counts = statement<NoParameters, { status: string; runs: number }>(
  'sweep.counts',
  sql`select status, count(*)::integer as runs from run_heads group by status`,
)

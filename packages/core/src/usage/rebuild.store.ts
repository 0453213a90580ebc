import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement } from '@ars/platform/db/statement'
import { addEndedRuns, isEnd } from './rollup.sql.ts'
import { endsPerBatch, lockCursor } from './rollup.store.ts'

/** The ended runs of a day in the figures, before and after. */
export type Rebuilt =
  | { kind: 'rebuilt'; before: number; after: number; costBefore: number; costAfter: number }
  /** Some runs of the day are deleted already, so nothing was changed. */
  | { kind: 'not kept'; missing: number }
  /** Another process is counting. */
  | { kind: 'busy' }

class NotKept extends Error {
  readonly missing: number

  constructor(missing: number) {
    super('Some runs are deleted')
    this.missing = missing
  }
}

/**
 * Counts the runs that ended on a UTC day again, in one transaction that holds the cursor: nobody else counts meanwhile, and
 * an end that is not counted yet stays so. Figures of deliveries and of refused inputs are kept.
 */
// crosses organisations: the figures of all organisations.
export const rebuildDay = async (db: Database, day: Date): Promise<Rebuilt> => {
  try {
    return await db.transaction(null, async (tx) => {
      const cursor = await lockCursor(tx)
      if (!cursor) return { kind: 'busy' }
      const before = await sumOf(tx, day)
      await tx.query(clear({ day }))
      for (let after = '0'; ; ) {
        const [page] = await tx.query(addPage({ day, after, until: cursor.position, limit: endsPerBatch }))
        if (!page || page.ends === 0) break
        if (page.found < page.ends) throw new NotKept(page.ends - page.found)
        after = page.last
      }
      await tx.query(deleteEmpty({ day }))
      const after = await sumOf(tx, day)
      return { kind: 'rebuilt', before: before.runs, after: after.runs, costBefore: before.cost, costAfter: after.cost }
    })
  } catch (error) {
    if (error instanceof NotKept) return { kind: 'not kept', missing: error.missing }
    throw error
  }
}

const sumOf = async (tx: Tx, day: Date): Promise<{ runs: number; cost: number }> => {
  const [, [row]] = await Promise.all([tx.query(preferIndexes()), tx.query(sum({ day }))])
  return { runs: Number(row?.runs ?? 0), cost: Number(row?.cost_usd ?? 0) }
}

type Day = { day: Date }

const isOfDay = (column: string): string =>
  `${column} >= :day::timestamptz and ${column} < :day::timestamptz + interval '1 day'`

// All widths are named, so that the index serves it.
const isInDay = `width in ('minute', 'quarter', 'hour', 'day') and ${isOfDay('bucket')}`

const counters = [
  'completed', 'failed', 'cancelled', 'input_tokens', 'output_tokens', 'cached_tokens', 'cost_usd', 'unpriced_runs', 'latency_ms',
] as const // biome-ignore format: a list of columns

const sum = statement<Day, { runs: string; cost_usd: string }>(
  'usage.sum_of_day',
  sql`select sum(completed + failed + cancelled) as runs, sum(cost_usd) as cost_usd
     from usage_buckets where width = 'day' and scope = 'total' and bucket = :day::timestamptz`,
)

// Blocked runs are counted with the runs; notes of refused inputs are in the rows of the organisation, and stay there.
const clear = statement<Day>(
  'usage.clear_day',
  sql`update usage_buckets
      set ${counters.map((column) => `${column} = 0`).join(', ')},
          guardrail_blocks = guardrail_blocks - coalesce((errors ->> 'guardrail_blocked')::bigint, 0),
          errors = '{}', latency = '{}', queue = '{}'
    where ${isInDay}`,
)

const deleteEmpty = statement<Day>(
  'usage.delete_empty',
  sql`delete from usage_buckets
    where ${isInDay} and completed + failed + cancelled + guardrail_blocks = 0
      and deliveries_succeeded + deliveries_failed = 0`,
)

// The id of an event is made a moment before its date, and positions follow the commits.
const addPage = statement<
  Day & { after: string; until: string; limit: number },
  { ends: number; found: number; last: string }
>(
  'usage.add_page_of_day',
  sql`with ended as materialized (
    select position, id, subject_id, org_id from events
     where position > :after::bigint and position <= :until::bigint and ${isEnd} and ${isOfDay('created_at')}
       and id > uuid_floor(:day::timestamptz - interval '1 day') and id < uuid_floor(:day::timestamptz + interval '2 days')
     order by position limit :limit
  ), ${addEndedRuns}
  select count(*)::integer as ends, (select count(*)::integer from counted) as found, max(position) as last from ended`,
)

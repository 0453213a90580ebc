import type { Database } from '@ars/platform/db/database'
import { type Statement, sql, statement } from '@ars/platform/db/statement'

/**
 * Reads rows in the order of an index, without sorting. A statement is planned once, for an organisation of average size or
 * while there are no events. Sorting looks cheap then, but for a large organisation it reads all events for one page.
 */
export const readInOrder = async <Row>(db: Database, org: string | null, ordered: Statement<Row>): Promise<Row[]> => {
  const [, rows] = await db.batch(org, [keepOrder(), ordered])
  return rows
}

// A disabled plan node counts as very expensive, and expensive plans are compiled first. That takes longer than the query.
const keepOrder = statement(
  'events.keep_order',
  sql`select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
)

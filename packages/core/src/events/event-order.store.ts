import type { Database } from '@ars/platform/db/database'
import { type Statement, statement } from '@ars/platform/db/statement'

/**
 * Rows as an index has them, without sorting. A statement is planned once, for an organisation of the usual size or while there
 * are no events yet; sorting looks cheap then. For one that has very many it would read all of them for a single page.
 */
export const readInOrder = async <Row>(db: Database, org: string | null, ordered: Statement): Promise<Row[]> => {
  const [, rows] = await db.batch(org, [keepOrder(), ordered])
  return rows as Row[]
}

// What is switched off counts as very dear, and what is dear is compiled first, which takes longer than all the rest.
const keepOrder = statement(
  'events.keep_order',
  `select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`,
)

import type { Database } from '@ars/platform/db/database'
import type { OldRows } from './old-rows.sql.ts'

export { oldRows } from './old-rows.sql.ts'

// crosses organisations: rows of all organisations are deleted after their time. Answers how many.
export const deleteOldRows = async (
  db: Database,
  rows: OldRows,
  ask: { days: number; limit: number },
): Promise<number> => (await db.once(null, rows.page(ask))).length

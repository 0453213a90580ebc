import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** Counts an input that a policy refused: it has no run, so no end of a run counts it. */
export const noteBlocked = async (db: Database, org: string): Promise<void> => {
  await db.once(org, note({ org }))
}

const note = statement<{ org: Uuid }>(
  'usage.note_blocked',
  sql`insert into usage_notes (org_id, guardrail_blocks) values (:org, 1)`,
)

import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

// crosses organisations: finds which runs that this process watches or executes are still active.
export const listActive = (db: Database, runIds: readonly string[]): Promise<ActiveRun[]> =>
  db.once(null, active({ runIds }))

export type ActiveRun = { run_id: string; seq: number; epoch: number; status: string }

const active = statement<{ runIds: readonly Uuid[] }, ActiveRun>(
  'sweep.active',
  sql`select run_id, seq, epoch, status from run_heads where run_id = any (:runIds::uuid[])`,
)

import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement } from '@ars/platform/db/statement'
import { type AdmissionResult, type AdmissionSettings, toAdmissionResult } from './admission-result.ts'
import { admit } from './admit.sql.ts'

// crosses organisations: what the cell can execute is shared by all organisations whose runs wait.
export const admitRuns = async (
  db: Database,
  settings: AdmissionSettings,
  firstOrg: string | null = null,
): Promise<AdmissionResult> => toAdmissionResult(await db.once(null, admit(settings, firstOrg)))

// crosses organisations: the marks of the cell are for the runs of all organisations together.
export const settleCell = async (db: Database): Promise<void> => {
  await db.once(null, settle())
}

// All transactions below the new mark have ended, so that their runs are visible here. No lock is needed: a transaction
// that admits meanwhile has a higher number.
const settle = statement<NoParameters>(
  'runs.settle_cell',
  sql`update cell c
      set settled_at = app_now(), admitted_from = n.mark,
          waiting_from = coalesce((select min(moved_in) from run_heads
            where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= n.waiting_from and moved_in < n.mark), n.mark),
          admitted_before = array(
            select run_id from run_heads where is_admitted and moved_in >= n.admitted_from and moved_in < n.mark
            union all
            select run_id from run_heads where run_id = any (n.admitted_before) and is_admitted and moved_in < n.admitted_from)
     from (select ended_transactions() as mark, admitted_before,
                  case when admitted_from <= ended_transactions() then waiting_from else 0 end as waiting_from,
                  case when admitted_from <= ended_transactions() then admitted_from else 0 end as admitted_from
             from cell) n
    where c.settled_at <= app_now() - interval '3 seconds' or c.settled_at > app_now()`,
)

import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SpentBudget } from './budget.ts'
import { budgetMonth, spentColumns, spentOf } from './spend.sql.ts'

export type ChangedSpend = { org_id: string; subject_id: string }

// crosses organisations: the budgets of all organisations whose counters have changed since they were compared.
export const listChanged = (db: Database, limit: number): Promise<ChangedSpend[]> => db.once(null, changed({ limit }))

/** The budget, locked until the commit, with what was announced last in this month. Its counters are compared from now on. */
export const lockReached = async (tx: Tx, org: string, subjectId: string): Promise<SpentBudget | null> => {
  // A cost that is added after this statement marks its counter again. The next statement reads all that were added before.
  await tx.query(see({ org, subjectId }))
  const [row] = await tx.query(lock({ org, subjectId }))
  return row ?? null
}

export const noteTold = async (
  tx: Tx,
  org: string,
  { subjectId, percent }: { subjectId: string; percent: number },
): Promise<void> => {
  await tx.query(tell({ org, subjectId, percent }))
}

const changed = statement<{ limit: number }, ChangedSpend>(
  'budgets.changed',
  sql`select distinct org_id, subject_id from budget_spend where not is_seen limit :limit`,
)

const see = statement<{ org: Uuid; subjectId: Uuid }>(
  'budgets.see',
  sql`update budget_spend set is_seen = true where org_id = :org and subject_id = :subjectId and not is_seen`,
)

const lock = statement<{ org: Uuid; subjectId: Uuid }, SpentBudget>(
  'budgets.lock_reached',
  sql`select ${spentColumns}
        from budgets b cross join lateral (select ${spentOf('b.subject_id')} as spent) s
       where b.org_id = :org and b.subject_id = :subjectId and b.monthly_usd is not null
         for no key update of b`,
)

const tell = statement<{ org: Uuid; subjectId: Uuid; percent: number }>(
  'budgets.tell',
  sql`update budgets set told_month = ${budgetMonth}, told_percent = :percent where org_id = :org and subject_id = :subjectId`,
)

import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { budgetReset, spentOf } from './spend.sql.ts'

/** A run waits for a budget from now on. If the budget was raised meanwhile, its runs are looked at soon. */
export const addWait = async (
  tx: Tx,
  org: string,
  { budgetId, runId }: { budgetId: string; runId: string },
): Promise<void> => {
  await tx.query(add({ org, subjectId: budgetId, runId }))
  await tx.query(schedule({ org, subjectId: budgetId }))
}

export type DueBudget = { org_id: string; subject_id: string }

// crosses organisations: the budgets of all organisations whose waiting runs are due.
export const listDueBudgets = (db: Database, limit: number): Promise<DueBudget[]> => db.once(null, listDue({ limit }))

/** The budget, locked until the commit, and whether its runs may go on. Null: it is not due, or another worker has it. */
export const lockDueBudget = async (tx: Tx, org: string, subjectId: string): Promise<{ has_room: boolean } | null> => {
  const [row] = await tx.query(lockDue({ org, subjectId }))
  return row ?? null
}

/** The oldest runs that wait for the budget, or did. */
export const listWaits = async (
  tx: Tx,
  org: string,
  { subjectId, limit }: { subjectId: string; limit: number },
): Promise<string[]> => (await tx.query(list({ org, subjectId, limit }))).map(({ run_id }) => run_id)

export const endWaits = async (
  tx: Tx,
  org: string,
  { subjectId, runIds }: { subjectId: string; runIds: readonly string[] },
): Promise<void> => {
  await tx.query(end({ org, subjectId, runIds }))
}

/** When the budget is looked at next: if it has room and runs wait, soon; if runs wait, with the next month. */
export const scheduleWaits = async (tx: Tx, org: string, subjectId: string): Promise<void> => {
  await tx.query(schedule({ org, subjectId }))
}

const hasRoom = `(b.monthly_usd is null or b.action <> 'park' or b.monthly_usd > ${spentOf('b.subject_id')})`

const add = statement<{ org: Uuid; subjectId: Uuid; runId: Uuid }>(
  'budgets.add_wait',
  sql`insert into budget_waits (org_id, subject_id, run_id) values (:org, :subjectId, :runId) on conflict do nothing`,
)

const schedule = statement<{ org: Uuid; subjectId: Uuid }>(
  'budgets.schedule',
  sql`update budgets b
         set resume_at = case when not exists (select from budget_waits w where w.org_id = :org and w.subject_id = :subjectId) then null
               when ${hasRoom} then app_now() else ${budgetReset} end
       where b.org_id = :org and b.subject_id = :subjectId`,
)

const listDue = statement<{ limit: number }, DueBudget>(
  'budgets.list_due',
  sql`select org_id, subject_id from budgets where resume_at <= app_now() order by resume_at limit :limit`,
)

const lockDue = statement<{ org: Uuid; subjectId: Uuid }, { has_room: boolean }>(
  'budgets.lock_due',
  sql`select ${hasRoom} as has_room from budgets b
       where b.org_id = :org and b.subject_id = :subjectId and b.resume_at <= app_now() for no key update skip locked`,
)

const list = statement<{ org: Uuid; subjectId: Uuid; limit: number }, { run_id: string }>(
  'budgets.list_waits',
  sql`select run_id from budget_waits where org_id = :org and subject_id = :subjectId order by run_id limit :limit`,
)

const end = statement<{ org: Uuid; subjectId: Uuid; runIds: readonly Uuid[] }>(
  'budgets.end_waits',
  sql`delete from budget_waits where org_id = :org and subject_id = :subjectId and run_id = any (:runIds::uuid[])`,
)

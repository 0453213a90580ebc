import type { BudgetInput } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { BudgetSubject, BudgetTerms, SpentBudget } from './budget.ts'
import { budgetColumns, budgetMonth, countSpend, spentColumns, spentOf } from './spend.sql.ts'

/** For the statements of other slices. */
export { budgetColumns, countSpend, spentOf }

/**
 * Changes a budget; an omitted field stays. The caller holds the lock of the subject's row. Runs that wait for the budget are
 * looked at soon, and so is what was spent.
 */
export const setBudget = async (
  tx: Tx,
  org: string,
  subject: BudgetSubject,
  { monthly_budget_usd: monthlyUsd, budget_action: action }: BudgetInput,
): Promise<{ before: BudgetTerms; after: BudgetTerms }> => {
  const [before] = await tx.query(terms({ org, subjectId: subject.id }))
  // The counter first, as the sweep does, so that neither waits for the other.
  await tx.query(look({ org, subjectId: subject.id }))
  const [after] = await tx.query(
    set({
      org,
      subjectId: subject.id,
      subjectKind: subject.kind,
      setsAmount: monthlyUsd !== undefined,
      monthlyUsd: monthlyUsd ?? null,
      action: action ?? null,
    }),
  )
  if (!before || !after) throw new Error('The database did not return the budget')
  return { before, after }
}

/** The budget of a subject, as its lock holder sees it. */
export const findTerms = async (tx: Tx, org: string, subjectId: string): Promise<BudgetTerms | undefined> =>
  (await tx.query(terms({ org, subjectId })))[0]

/** Newest subject first. With `before` the order is oldest first. `only`: the subjects that the caller may see; null: all. */
export const listBudgets = (
  db: Database,
  org: string,
  page: { after: string | null; before: string | null; only: readonly string[] | null; limit: number },
): Promise<SpentBudget[]> => db.once(org, list({ org, ...page }))

/** Of these budgets those that are used up, with this action. */
export const listUsedUp = (
  db: Database,
  org: string,
  { ids, actions }: { ids: readonly string[]; actions: readonly ('refuse' | 'park')[] },
): Promise<SpentBudget[]> => db.once(org, usedUp({ org, ids, actions }))

/** Counts a cost that the transaction has stored. */
export const addSpend = async (
  tx: Tx,
  org: string,
  { budgetIds, costUsd }: { budgetIds: readonly string[]; costUsd: number },
): Promise<void> => {
  await tx.query(add({ org, budgetIds, costUsd }))
}

/** Counts a cost that belongs to no run, for those of these subjects that have a budget. */
export const chargeBudgets = async (
  tx: Tx,
  org: string,
  { subjectIds, costUsd }: { subjectIds: readonly string[]; costUsd: number },
): Promise<void> => {
  if (costUsd > 0) await tx.query(charge({ org, subjectIds, costUsd }))
}

const terms = statement<{ org: Uuid; subjectId: Uuid }, BudgetTerms>(
  'budgets.terms',
  sql`select ${budgetColumns({ org: ':org', subject: ':subjectId' })}`,
)

const set = statement<
  {
    org: Uuid
    subjectId: Uuid
    subjectKind: string
    setsAmount: boolean
    monthlyUsd: number | null
    action: string | null
  },
  BudgetTerms
>(
  'budgets.set',
  sql`insert into budgets as b (org_id, subject_id, kind, monthly_usd, action)
      values (:org, :subjectId, :subjectKind, :monthlyUsd, coalesce(:action, 'refuse'))
      on conflict (org_id, subject_id) do update
        set monthly_usd = case when :setsAmount::boolean then excluded.monthly_usd else b.monthly_usd end,
            action = coalesce(:action, b.action),
            resume_at = case when b.resume_at is not null then app_now() end
      returning monthly_usd::float8 as monthly_budget_usd, action as budget_action`,
)

// A counter that was not compared with the budget is compared by the next sweep.
const look = statement<{ org: Uuid; subjectId: Uuid }>(
  'budgets.look',
  sql`insert into budget_spend (org_id, subject_id, month, slot, cost_usd) values (:org, :subjectId, ${budgetMonth}, 0, 0)
      on conflict (org_id, subject_id, month, slot) do update set is_seen = false`,
)

const list = statement<
  { org: Uuid; after: Uuid | null; before: Uuid | null; only: readonly Uuid[] | null; limit: number },
  SpentBudget
>(
  'budgets.list',
  sql`select ${spentColumns}
        from (
          select kind, subject_id, monthly_usd, action, told_month, told_percent from budgets
           where org_id = :org and monthly_usd is not null and (:only::uuid[] is null or subject_id = any (:only))
             and (:after::uuid is null or subject_id < :after) and (:before::uuid is null or subject_id > :before)
           order by case when :before::uuid is not null then subject_id end, subject_id desc limit :limit
        ) b cross join lateral (select ${spentOf('b.subject_id')} as spent) s
       order by case when :before::uuid is not null then b.subject_id end, b.subject_id desc`,
)

const usedUp = statement<{ org: Uuid; ids: readonly Uuid[]; actions: readonly string[] }, SpentBudget>(
  'budgets.used_up',
  sql`select ${spentColumns}
        from budgets b cross join lateral (select ${spentOf('b.subject_id')} as spent) s
       where b.org_id = :org and b.subject_id = any (:ids::uuid[]) and b.action = any (:actions::text[]) and b.monthly_usd <= s.spent
       order by b.subject_id`,
)

const add = statement<{ org: Uuid; budgetIds: readonly Uuid[]; costUsd: number }>(
  'budgets.add_spend',
  countSpend(sql`select id as subject_id, :costUsd::numeric as cost_usd from unnest(:budgetIds::uuid[]) as n (id)`),
)

const charge = statement<{ org: Uuid; subjectIds: readonly Uuid[]; costUsd: number }>(
  'budgets.charge',
  countSpend(sql`select subject_id, :costUsd::numeric as cost_usd from budgets
                  where org_id = :org and subject_id = any (:subjectIds::uuid[]) and monthly_usd is not null`),
)

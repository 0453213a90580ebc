/** The month that a cost belongs to: the month of the statement that counts it, in UTC. */
export const budgetMonth = `date_trunc('month', app_now() at time zone 'utc')::date`

/** When the month ends. */
export const budgetReset = `((${budgetMonth} + interval '1 month') at time zone 'utc')`

/** What a subject has spent this month. `subject` and `org` are SQL expressions. */
export const spentOf = (subject: string, org = ':org'): string =>
  `(select coalesce(sum(p.cost_usd), 0) from budget_spend p
             where p.org_id = ${org} and p.subject_id = ${subject} and p.month = ${budgetMonth})`

/** The columns of a `SpentBudget`: of a budget `b`, and of `s` with what was spent. */
export const spentColumns = `b.kind, b.subject_id, b.monthly_usd::float8 as monthly_usd, b.action, s.spent::float8 as spent_usd,
         case when b.told_month = ${budgetMonth} then b.told_percent else 0 end as reached_percent,
         ${budgetReset} as resets_at, ceil(extract(epoch from ${budgetReset} - app_now()))::integer as seconds_left`

/** The budget of a row, for the columns of a `BudgetTerms`. `org` and `subject` are SQL expressions. */
export const budgetColumns = ({ org, subject }: { org: string; subject: string }): string => {
  const of = (column: string): string =>
    `(select ${column} from budgets b where b.org_id = ${org} and b.subject_id = ${subject})`
  return `${of('b.monthly_usd::float8')} as monthly_budget_usd, coalesce(${of('b.action')}, 'refuse') as budget_action`
}

/** As many as connections write at the same time, about. Each connection has its own slot, and waits for none. */
const slots = 16

/**
 * Adds costs to the counters of budgets. `costs` selects `subject_id` and `cost_usd`, from the rows whose compare-and-set has
 * succeeded, so that a cost is counted once. Counters are changed in order, so that two statements cannot wait for each other.
 */
export const countSpend = (
  costs: string,
): string => `insert into budget_spend as s (org_id, subject_id, month, slot, cost_usd)
    select :org, subject_id, ${budgetMonth}, pg_backend_pid() % ${slots}, sum(cost_usd)
      from (${costs}) c where cost_usd > 0 group by subject_id order by subject_id
    on conflict (org_id, subject_id, month, slot) do update set cost_usd = s.cost_usd + excluded.cost_usd, is_seen = false`

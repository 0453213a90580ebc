import { countSpend } from '../../budgets/index.ts'

/**
 * One more part of a statement that stores steps: their costs count against the budgets of their runs. It hangs on the rows of
 * `head`, so that the cost of a stored step is counted once. Statements without it are for runs without a budget.
 */
export const spentBy = (steps: string): string => `, spent as (
    ${countSpend(`select b.id as subject_id, n.cost_usd
              from ${steps} n join head on head.run_id = n.run_id cross join unnest(head.budget_ids) as b (id)`)}
  )`

import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'

/**
 * Closes the question for a budget, which has room now, of these runs. Returns the runs whose question was open. A run that another
 * transaction holds is left out, so that this one waits for nobody.
 */
export const closeBudgetQuestions = async (tx: Tx, org: string, runIds: readonly string[]): Promise<string[]> =>
  (await tx.query(close({ org, runIds, ...idBounds(runIds) }))).map(({ run_id }) => run_id)

/** Of these runs, those whose question for a budget is open. */
export const listBudgetQuestions = async (tx: Tx, org: string, runIds: readonly string[]): Promise<string[]> =>
  (await tx.query(listOpen({ org, runIds, ...idBounds(runIds) }))).map(({ run_id }) => run_id)

type SomeRuns = { org: Uuid; runIds: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }

const isOpen = `a.org_id = :org and a.run_id = any (:runIds::uuid[]) and a.run_id between :firstId::uuid and :lastId::uuid
         and a.type = 'raise_budget' and a.resolution is null`

const close = statement<SomeRuns, { run_id: string }>(
  'actions.close_budget_questions',
  sql`with parked as (
        select run_id from run_heads
         where org_id = :org and run_id = any (:runIds::uuid[]) and status = 'requires_action'
           for update skip locked
      )
      update run_actions a set resolution = 'approve', resolved_at = app_now()
        from parked where a.run_id = parked.run_id and ${isOpen}
      returning a.run_id`,
)

const listOpen = statement<SomeRuns, { run_id: string }>(
  'actions.list_budget_questions',
  sql`select a.run_id from run_actions a join run_heads h on h.org_id = :org and h.run_id = a.run_id where ${isOpen}`,
)

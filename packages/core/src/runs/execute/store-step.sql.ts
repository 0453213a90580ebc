import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { TextArray } from '@ars/platform/db/text-array'
import { tokenColumns } from '../run/tokens.ts'
import { oneOrganisation, type RowScope, type Several, severalOrganisations } from './row-scope.sql.ts'
import { spentBy } from './spend.sql.ts'
import { completedStep, stepFields } from './step-row.sql.ts'

export type StoreParameters = { org: Uuid; steps: Json; contents: TextArray; runIds: readonly Uuid[] }

const storeText = (
  { locks, fields, columns, isOwn, isSameOrg }: RowScope,
  { budgets, spent }: { budgets: string; spent: string },
): string => sql`with ${locks}asked as (
    select ${columns}run_id, epoch, attempt, claim_id, step, kind, (:contents::text[])[number] as step_output, ${tokenColumns()},
           cost_usd, messages_read, started_at, model, next_type, reset::integer as resets
      from json_to_recordset(:steps::json) as n (number integer, ${fields}${stepFields}, reset boolean)
  ), head as (
    update run_heads h
       set step = n.step, next_type = n.next_type, claims = 0, seq = h.seq + 1 + n.resets, progress_at = app_now(),
           ${tokenColumns((column) => `${column} = h.${column} + n.${column}`)},
           cost_usd = h.cost_usd + n.cost_usd, stored_bytes = h.stored_bytes + coalesce(octet_length(n.step_output), 0)
      from asked n
     where h.run_id = any (:runIds::uuid[]) and ${isOwn} and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.claim_id = n.claim_id and h.step = n.step - 1 and h.status = 'running'
    returning h.run_id, h.org_id, h.seq${budgets}
  ), stored as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, ${tokenColumns()}, cost_usd,
           messages_read, started_at, bytes)
    select n.run_id, n.step, head.org_id, n.epoch, n.attempt, n.kind, n.step_output::json, ${tokenColumns((column) => `n.${column}`)}, n.cost_usd,
           n.messages_read, n.started_at, octet_length(n.step_output)
      from asked n join head on head.run_id = n.run_id${isSameOrg}
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select n.run_id, head.seq - 1, head.org_id, 'run.output.reset', json_build_object('step', n.step)
      from asked n join head on head.run_id = n.run_id${isSameOrg} where n.resets = 1
    union all
    select n.run_id, head.seq, head.org_id, 'run.step.completed', ${completedStep({ from: 'n', step: 'n.step', status: "'completed'" })}
      from asked n join head on head.run_id = n.run_id${isSameOrg}
  )${spent}
  select ${columns}run_id, seq from head`

export const storeStatement = statement<StoreParameters, { run_id: string; seq: number }>(
  'runs.store_step',
  storeText(oneOrganisation, { budgets: '', spent: '' }),
)

/** For runs of which at least one counts against a budget. */
export const storeBudgeted = statement<StoreParameters, { run_id: string; seq: number }>(
  'runs.store_step_budgeted',
  storeText(oneOrganisation, { budgets: ', h.budget_ids', spent: spentBy('asked') }),
)

/** For runs of several organisations without a budget, as the role of batches. */
export const storeSeveral = statement<Several<StoreParameters>, { org_id: string; run_id: string; seq: number }>(
  'runs.store_step_several',
  storeText(severalOrganisations, { budgets: '', spent: '' }),
)

import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { addSpend } from '../../budgets/index.ts'
import { type CheckSpend, toSpendRow } from '../run/check-spend.ts'
import { tokenColumns } from '../run/tokens.ts'
import type { KnownAction } from './action.ts'
import { type Resumed, resumeStatement } from './resume.sql.ts'

export type { Resumed }

export type LockedHead = { status: string; actions: number; messages: number }

/** The head of a run, locked until the transaction ends. Null: there is no active run with this id. */
export const lockHead = async (tx: Tx, org: string, run: string): Promise<LockedHead | null> => {
  const [row] = await tx.query(lock({ org, runId: run }))
  return row ?? null
}

export const listActions = (tx: Tx, org: string, run: string): Promise<KnownAction[]> =>
  tx.query(list({ org, runId: run }))

/** The same without a lock. */
export const readActions = (db: Database, org: string, run: string): Promise<KnownAction[]> =>
  db.once(org, list({ org, runId: run }))

/** The author of a decision or a message. */
export type ActionAuthor = { type: 'key' | 'user'; uuid: string }

export const resolveAction = async (
  tx: Tx,
  org: string,
  decision: {
    run: string
    action: string
    resolution: string
    payload: unknown
    comment: string | null
    by: ActionAuthor
  },
): Promise<void> => {
  const { run, action, resolution, payload, comment, by } = decision
  await tx.query(
    resolve({
      org,
      runId: run,
      actionId: action,
      resolution,
      payload: JSON.stringify(payload ?? null),
      comment,
      authorId: by.uuid,
      authorType: by.type,
    }),
  )
  await tx.query(countAction({ org, runId: run }))
}

export const addMessage = async (
  tx: Tx,
  org: string,
  { run, text, by }: { run: string; text: string; by: ActionAuthor },
): Promise<void> => {
  const message = JSON.stringify(text)
  await tx.query(addMessageStatement({ org, runId: run, message, authorId: by.uuid, authorType: by.type }))
}

/** Adds what models have cost that judged a payload to the run and to its budgets. */
export const addCheckSpend = async (tx: Tx, org: string, run: string, spend: CheckSpend): Promise<void> => {
  const [head] = await tx.query(addCost({ org, runId: run, spend: JSON.stringify(toSpendRow(spend)) }))
  if (head?.budget_ids) await addSpend(tx, org, { budgetIds: head.budget_ids, costUsd: spend.costUsd ?? 0 })
}

/** `not_resumed`: the run still has an open question, or does not wait for a person. */
export type ResumeVerdict = ({ kind: 'resumed' } & Resumed) | { kind: 'not_resumed' }

/**
 * Puts a run into the queue when all its questions are answered. It is admitted after the commit: an admission holds its
 * lock until then, and this transaction has several round trips.
 */
export const resumeRun = async (tx: Tx, org: string, run: string): Promise<ResumeVerdict> => {
  const [row] = await tx.query(resumeStatement({ org, runId: run }))
  return row ? { kind: 'resumed', ...row } : { kind: 'not_resumed' }
}

const lock = statement<{ org: Uuid; runId: Uuid }, LockedHead>(
  'actions.lock_head',
  sql`select status, actions, messages from run_heads where org_id = :org and run_id = :runId for update`,
)

const list = statement<{ org: Uuid; runId: Uuid }, KnownAction>(
  'actions.list',
  sql`select id, type, message, tool_call, response_schema, created_at, expires_at, resolution, payload, comment
     from run_actions where org_id = :org and run_id = :runId order by id`,
)

const resolve = statement<{
  org: Uuid
  runId: Uuid
  actionId: Uuid
  resolution: string
  payload: Json
  comment: string | null
  authorId: Uuid
  authorType: string
}>(
  'actions.resolve',
  sql`update run_actions set resolution = :resolution, payload = :payload::json, comment = :comment,
          resolved_by = :authorId, resolved_by_type = :authorType, resolved_at = app_now(),
          -- Only what was approved is used again.
          held = case when :resolution = 'approve' then held end
    where org_id = :org and run_id = :runId and id = :actionId and resolution is null`,
)

// The deadline becomes the first expiry of the questions that are still open.
const countAction = statement<{ org: Uuid; runId: Uuid }>(
  'actions.count',
  sql`update run_heads h
      set actions = h.actions + 1,
          deadline_at = coalesce((
            select min(a.expires_at) from run_actions a where a.org_id = :org and a.run_id = :runId and a.resolution is null
          ), h.deadline_at)
    where h.org_id = :org and h.run_id = :runId`,
)

const addCost = statement<{ org: Uuid; runId: Uuid; spend: Json }, { budget_ids: Uuid[] | null }>(
  'actions.add_check_spend',
  sql`update run_heads h set ${tokenColumns((column) => `${column} = h.${column} + n.${column}`)}, cost_usd = h.cost_usd + n.cost_usd
        from json_to_record(:spend::json) as n (${tokenColumns((column) => `${column} bigint`)}, cost_usd numeric)
       where h.org_id = :org and h.run_id = :runId returning h.budget_ids`,
)

const addMessageStatement = statement<{ org: Uuid; runId: Uuid; message: Json; authorId: Uuid; authorType: string }>(
  'actions.add_message',
  sql`with head as (
    update run_heads set messages = messages + 1, actions = actions + 1 where org_id = :org and run_id = :runId returning messages
  )
  insert into run_messages (run_id, number, org_id, message, sent_by, sent_by_type)
  select :runId, messages, :org, :message::json, :authorId, :authorType from head`,
)

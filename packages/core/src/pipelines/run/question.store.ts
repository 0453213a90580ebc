import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import { isAsleep } from '../../work-rows.store.ts'

/** The question of an approval step. `decision` is null while it is open. */
export type PipelineQuestion = {
  step: string
  question: { message: string; response_schema: Record<string, unknown> | null }
  decision: 'approve' | 'reject' | null
  created_at: Date
  expires_at: Date
  is_open: boolean
}

/** Of a pipeline run that has not ended, in the order of their keys. */
export const listQuestions = (db: Database, org: string, id: string): Promise<PipelineQuestion[]> =>
  db.once(org, questions({ org, id }))

/** Runs of the steps that wait for a person, at most `max`. */
export const listAskingRuns = (
  db: Database,
  org: string,
  { id, max }: { id: string; max: number },
): Promise<{ step: string; item: number; run_id: string }[]> => db.once(org, askingRuns({ org, id, max }))

/** Which of these pipeline runs wait for a person. */
export const listAsking = async (db: Database, org: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = ids.length === 0 ? [] : await db.once(org, asking({ org, ids, ...idBounds(ids) }))
  return new Set(rows.map(({ pipeline_run_id }) => pipeline_run_id))
}

export type QuestionDecision = {
  step: string
  decision: 'approve' | 'reject'
  payload: unknown
  comment: string | null
  author: { type: 'key' | 'user'; id: string }
}

/** The code of a step whose question was answered with `reject`. */
const rejected = 'approval_rejected'

/**
 * Stores the decision and makes the pipeline run due. False: the question is no longer open. The head is locked first, as by the worker that
 * reads the question.
 */
export const storeDecision = async (
  tx: Tx,
  org: string,
  { id, decision }: { id: string; decision: QuestionDecision },
): Promise<boolean> => {
  const [head] = await tx.query(lockActive({ org, id }))
  if (!head) return false
  const { step, comment, author } = decision
  const rows = await tx.query(
    decide({
      ...{ org, id, step, comment },
      decision: decision.decision,
      payload: decision.payload === undefined ? null : JSON.stringify(decision.payload),
      decidedBy: author.id,
      decidedByType: author.type,
      code: decision.decision === 'reject' ? rejected : null,
    }),
  )
  if (rows.length === 0) return false
  await tx.query(makeDue({ org, id }))
  return true
}

type One = { org: Uuid; id: Uuid }

const questions = statement<One, PipelineQuestion>(
  'pipelines.questions',
  sql`select i.step, i.question, i.decision, s.opened_at as created_at, least(i.due_at, h.deadline_at) as expires_at,
             i.closed_at is null and i.state = 'started' and (i.due_at is null or i.due_at > app_now()) as is_open
        from pipeline_heads h
        join pipeline_items i on i.org_id = :org and i.pipeline_run_id = h.pipeline_run_id and i.question is not null
        join pipeline_steps s on s.org_id = :org and s.pipeline_run_id = h.pipeline_run_id and s.key = i.step
       where h.org_id = :org and h.pipeline_run_id = :id and h.status = 'running'
       order by i.step`,
)

const askingRuns = statement<One & { max: number }, { step: string; item: number; run_id: string }>(
  'pipelines.asking_runs',
  sql`select i.step, i.item, i.run_id
        from pipeline_items i join run_heads h on h.org_id = :org and h.run_id = i.run_id and h.status = 'requires_action'
       where i.org_id = :org and i.pipeline_run_id = :id and i.closed_at is null
       order by i.step, i.item limit :max`,
)

const asking = statement<
  { org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null },
  { pipeline_run_id: string }
>(
  'pipelines.asking',
  sql`select n.id as pipeline_run_id
        from unnest(:ids::uuid[]) as n (id)
       cross join lateral (
         select from pipeline_items i
           left join run_heads h on h.org_id = :org and h.run_id = i.run_id
          where i.org_id = :org and i.pipeline_run_id = n.id and i.pipeline_run_id between :firstId and :lastId
            and i.closed_at is null
            and (i.question is not null or h.status = 'requires_action')
          limit 1) as open`,
)

const lockActive = statement<One, { pipeline_run_id: string }>(
  'pipelines.lock_active',
  sql`select pipeline_run_id from pipeline_heads
       where org_id = :org and pipeline_run_id = :id and status = 'running' and deadline_at > app_now() for update`,
)

type Decide = One & {
  step: string
  decision: string
  payload: Json | null
  comment: string | null
  decidedBy: Uuid
  decidedByType: string
  code: string | null
}

const decide = statement<Decide, { step: string }>(
  'pipelines.decide_question',
  sql`update pipeline_items
         set state = case when :decision = 'approve' then 'completed' else 'failed' end, code = :code, decision = :decision,
             payload = :payload, comment = :comment, decided_by = :decidedBy, decided_by_type = :decidedByType, decided_at = app_now()
       where org_id = :org and pipeline_run_id = :id and step = :step and item = 0 and attempt = 1 and question is not null
         and closed_at is null and state = 'started' and (due_at is null or due_at > app_now())
      returning step`,
)

const makeDue = statement<One>(
  'pipelines.make_due',
  sql`update pipeline_heads set due_at = app_now() where org_id = :org and pipeline_run_id = :id and ${isAsleep}`,
)

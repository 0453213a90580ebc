import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { CallRecord, Decision, History } from '../../steps/index.ts'
import { type StepRow, toPastStep } from './past-step.ts'
import { tokenColumns } from './tokens.ts'

/**
 * The memory of a run: its steps, the messages that were sent to it, the tool calls of the step that is not stored yet and
 * the decisions of people. The results of earlier calls are in their steps. With `after`, the steps begin with that one,
 * which has no content then. `stepBytes`: of the contents that were read.
 */
export const readHistory = async (
  db: Database,
  org: string,
  run: string,
  { after }: { after: number } = { after: 0 },
): Promise<History & { stepBytes: number }> => {
  const [steps, messages, calls, decisions] = await db.batch(org, [
    listSteps({ org, runId: run, after }),
    listMessages({ org, runId: run }),
    listOpenCalls({ org, runId: run }),
    listDecisions({ org, runId: run }),
  ])
  return {
    steps: steps.map(toPastStep),
    messages: messages.map(({ number, message }) => ({ number, text: message })),
    calls,
    decisions,
    stepBytes: steps.reduce((sum, { step, bytes }) => sum + (step > after ? (bytes ?? 0) : 0), 0),
  }
}

/** The columns of a `StepRow`. */
export const stepColumns = `step, kind, output, messages_read, ${tokenColumns()}, cost_usd, started_at, finished_at`

const listSteps = statement<{ org: Uuid; runId: Uuid; after: number }, StepRow & { bytes: number | null }>(
  'runs.history_steps',
  sql`select step, kind, case when step > :after::integer then output end as output, messages_read, ${tokenColumns()},
          cost_usd, started_at, finished_at, bytes
     from run_steps where org_id = :org and run_id = :runId and step >= :after::integer order by step`,
)

const listMessages = statement<{ org: Uuid; runId: Uuid }, { number: number; message: string }>(
  'runs.history_messages',
  sql`select number, message from run_messages where org_id = :org and run_id = :runId order by number`,
)

const listOpenCalls = statement<{ org: Uuid; runId: Uuid }, CallRecord>(
  'runs.history_open_calls',
  sql`select step, ordinal, name, connector_id, arguments, repeatable, status, result, started_at, finished_at
     from run_tool_calls
    where org_id = :org and run_id = :runId
      and step > coalesce((select max(s.step) from run_steps s where s.org_id = :org and s.run_id = :runId), 0)
    order by step, ordinal`,
)

const listDecisions = statement<{ org: Uuid; runId: Uuid }, Decision>(
  'runs.history_decisions',
  sql`select id, type, step, ordinal, resolution, payload, comment, resolved_by, resolved_by_type, resolved_at, policy
     from run_actions where org_id = :org and run_id = :runId order by id`,
)

import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { CallRecord, Decision, History } from '../../steps/index.ts'
import { type StepRow, toPastStep } from './past-step.ts'

/** The memory of a run: its steps, the messages that were sent to it, its tool calls and the decisions of people. */
export const readHistory = async (db: Database, org: string, run: string): Promise<History> => {
  const [steps, messages, calls, decisions] = await db.batch(org, [
    listSteps({ org, runId: run }),
    listMessages({ org, runId: run }),
    listCalls({ org, runId: run }),
    listDecisions({ org, runId: run }),
  ])
  return {
    steps: steps.map(toPastStep),
    messages: messages.map(({ number, message }) => ({ number, text: message })),
    calls,
    decisions,
  }
}

/** The columns of a `StepRow`. */
export const stepColumns =
  'step, kind, output, messages_read, input_tokens, output_tokens, cost_usd, started_at, finished_at'

const listSteps = statement<{ org: Uuid; runId: Uuid }, StepRow>(
  'runs.history_steps',
  sql`select ${stepColumns} from run_steps where org_id = :org and run_id = :runId order by step`,
)

const listMessages = statement<{ org: Uuid; runId: Uuid }, { number: number; message: string }>(
  'runs.history_messages',
  sql`select number, message from run_messages where org_id = :org and run_id = :runId order by number`,
)

const listCalls = statement<{ org: Uuid; runId: Uuid }, CallRecord>(
  'runs.history_calls',
  sql`select step, ordinal, name, connector_id, arguments, repeatable, status, result, started_at, finished_at
     from run_tool_calls where org_id = :org and run_id = :runId order by step, ordinal`,
)

const listDecisions = statement<{ org: Uuid; runId: Uuid }, Decision>(
  'runs.history_decisions',
  sql`select id, type, step, ordinal, resolution, payload, comment, resolved_by, resolved_by_type, resolved_at
     from run_actions where org_id = :org and run_id = :runId order by id`,
)

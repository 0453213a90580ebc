import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { CallRecord, Decision, History, StepContent } from '../../steps/index.ts'

/** The memory of a run: its steps, the messages that were sent to it, its tool calls and the decisions of people. */
export const readHistory = async (db: Database, org: string, run: string): Promise<History> => {
  const [steps, messages, calls, decisions] = await db.batch(org, [
    listSteps({ org, runId: run }),
    listMessages({ org, runId: run }),
    listCalls({ org, runId: run }),
    listDecisions({ org, runId: run }),
  ])
  return {
    steps: steps.map(({ step, kind, output, messages_read, ...rest }) => ({
      step,
      kind,
      content: output,
      messagesRead: messages_read,
      inputTokens: Number(rest.input_tokens),
      outputTokens: Number(rest.output_tokens),
      costUsd: rest.cost_usd === null ? null : Number(rest.cost_usd),
      startedAt: rest.started_at,
      finishedAt: rest.finished_at,
    })),
    messages: messages.map(({ number, message }) => ({ number, text: message })),
    calls,
    decisions,
  }
}

type StepRow = {
  step: number
  kind: 'model' | 'tools' | 'remote'
  output: StepContent
  messages_read: number
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  started_at: Date
  finished_at: Date
}

const listSteps = statement<{ org: Uuid; runId: Uuid }, StepRow>(
  'runs.history_steps',
  sql`select step, kind, output, messages_read, input_tokens, output_tokens, cost_usd, started_at, finished_at
     from run_steps where org_id = :org and run_id = :runId order by step`,
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

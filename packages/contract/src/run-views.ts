import { z } from 'zod'
import { ActionId, RunId } from './ids.ts'
import { runStatuses } from './run-status.ts'

/** What one can see of a run beside itself: its steps, why it does not move, its frames. */

const JsonObject = z.record(z.string(), z.unknown())

const ActionDecision = z.object({
  action_id: ActionId,
  type: z.enum(['approve', 'reject', 'respond']),
  by: z.string().meta({ description: 'Who decided: a key, `key_…`, or a person, `usr_…`.' }),
  comment: z.string().nullable(),
  at: z.iso.datetime(),
})

const ToolCallView = z
  .object({
    name: z.string(),
    connector_id: z.string().nullable(),
    arguments: JsonObject,
    status: z.enum(['waiting', 'started', 'completed', 'failed']),
    result: z.unknown().meta({ description: 'What the tool answered; null before.' }),
    decision: ActionDecision.nullable().meta({ description: 'Who let it pass, or did not, and why.' }),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RunToolCall' })

export const RunStep = z
  .object({
    object: z.literal('run_step'),
    number: z.int(),
    type: z.enum(['model', 'tools', 'remote']),
    status: z.enum(['running', 'completed']),
    model: z.string().nullable(),
    text: z.string().nullable().meta({ description: 'What the model said in this step.' }),
    tool_calls: z.array(ToolCallView),
    decisions: z.array(ActionDecision).meta({ description: 'What people decided in this step, and why.' }),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), cost_usd: z.number().nullable() }),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    duration_ms: z.int().nullable(),
  })
  .meta({ id: 'RunStep' })

export type RunStep = z.infer<typeof RunStep>

export const RunDiagnosis = z
  .object({
    run_id: RunId,
    status: z.enum(runStatuses),
    waiting_for: z.enum(['slot', 'worker', 'provider', 'action', 'nothing']),
    message: z.string().meta({ description: 'The same in words.' }),
    since: z.iso.datetime().nullable(),
    queue_position: z.int().nullable(),
    blocked_by: z.array(RunId).meta({ description: 'Runs of the organisation that hold its slots; ten at the most.' }),
    retry_at: z.iso.datetime().nullable(),
    action_ids: z.array(ActionId),
    last_progress_at: z.iso.datetime().nullable(),
    next_deadline_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RunDiagnosis' })

export type RunDiagnosis = z.infer<typeof RunDiagnosis>

const runFrameTypes = [
  'run.created',
  'run.started',
  'run.step.started',
  'run.step.completed',
  'run.tool_call.started',
  'run.tool_call.completed',
  'run.output.delta',
  'run.output.reset',
  'run.snapshot',
  'run.requires_action',
  'run.resumed',
  'run.guardrail',
  'run.cancelling',
  'run.completed',
  'run.failed',
  'run.cancelled',
] as const

/** The `data` of a frame. What else it holds depends on its type; the last one holds the whole run. */
export const RunFrame = z
  .looseObject({
    type: z.enum(runFrameTypes),
    run_id: RunId,
    created_at: z.iso.datetime(),
    step: z.int().optional().meta({ description: 'The step that a delta, a reset or a tool call belongs to.' }),
    delta: z.string().optional().meta({ description: 'A piece of the output.' }),
  })
  .meta({ id: 'RunFrame' })

export type RunFrame = z.infer<typeof RunFrame>

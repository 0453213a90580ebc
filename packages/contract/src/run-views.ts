import { z } from 'zod'
import { ActionId, RunId } from './ids.ts'
import { runStatuses } from './run-status.ts'

/** Views of a run: its steps, its diagnosis and its frames. */

const JsonObject = z.record(z.string(), z.unknown())

const ActionDecision = z.object({
  action_id: ActionId,
  type: z.enum(['approve', 'reject', 'respond']),
  by: z.string().meta({ description: 'Who decided: an API key (`key_…`) or a person (`usr_…`).' }),
  comment: z.string().nullable(),
  at: z.iso.datetime(),
})

const ToolCallView = z
  .object({
    name: z.string(),
    connector_id: z.string().nullable(),
    arguments: JsonObject,
    status: z.enum(['waiting', 'started', 'completed', 'failed']),
    result: z.unknown().meta({ description: 'The result of the tool; null before.' }),
    decision: ActionDecision.nullable().meta({
      description: 'The approval or rejection of this call, with its reason.',
    }),
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
    text: z.string().nullable().meta({ description: 'The text that the model produced in this step.' }),
    tool_calls: z.array(ToolCallView),
    decisions: z.array(ActionDecision).meta({ description: 'Decisions of people in this step, with their reasons.' }),
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
    waiting_for: z.enum(['slot', 'worker', 'provider', 'action', 'nothing']).meta({
      description:
        '`slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a person. `nothing`: it has ended.',
    }),
    message: z.string().meta({ description: 'The explanation, for people.' }),
    since: z.iso.datetime().nullable().meta({ description: 'When this wait began.' }),
    queue_position: z.int().nullable().meta({ description: 'Position in the queue.' }),
    blocked_by: z.array(RunId).meta({ description: 'Runs of the organisation that hold its slots, up to ten.' }),
    retry_at: z.iso.datetime().nullable().meta({ description: 'When the next attempt is due.' }),
    action_ids: z.array(ActionId).meta({ description: 'Open actions that wait for a decision.' }),
    last_progress_at: z.iso.datetime().nullable().meta({ description: 'When the run last made progress.' }),
    next_deadline_at: z.iso.datetime().nullable().meta({ description: 'When the run times out next.' }),
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

/** The `data` of a frame. Further fields depend on its type; the last frame contains the whole run. */
export const RunFrame = z
  .looseObject({
    type: z.enum(runFrameTypes),
    run_id: RunId,
    created_at: z.iso.datetime(),
    step: z.int().optional().meta({ description: 'The step to which a delta, a reset or a tool call belongs.' }),
    delta: z.string().optional().meta({ description: 'Text to append to the output.' }),
  })
  .meta({ id: 'RunFrame' })

export type RunFrame = z.infer<typeof RunFrame>

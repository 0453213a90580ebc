import { z } from 'zod'
import { JsonObject } from './fields.ts'
import { ActionId, PolicyId, RunId } from './ids.ts'
import { limits } from './limits.ts'
import { PolicyStage } from './policy-rule.ts'
import { RunUsage } from './run.ts'
import { RunState } from './run-status.ts'

/** Views of a run: its steps, its diagnosis, and what a policy holds back. */

const ActionDecision = z
  .object({
    action_id: ActionId,
    type: z.enum(['approve', 'reject', 'respond']).meta({ id: 'DecisionType', description: 'The decision.' }),
    by: z.string().meta({ description: 'Who decided: an API key (`key_…`) or a person (`usr_…`).' }),
    comment: z.string().nullable().meta({ description: 'The reason that was given.' }),
    at: z.iso.datetime().meta({ description: 'When it was decided.' }),
  })
  .meta({ id: 'ActionDecision' })

const ToolCallView = z
  .object({
    name: z.string().meta({ description: 'The name of the tool.' }),
    connector_id: z.string().nullable().meta({ description: 'The connector of the tool; null for built-in tools.' }),
    arguments: JsonObject.meta({ description: 'The arguments of the call.' }),
    status: z.enum(['waiting', 'started', 'completed', 'failed']).meta({
      id: 'ToolCallStatus',
      description: '`waiting`: a person must approve it. `started`: it is under way.',
    }),
    result: z.unknown().meta({ description: 'The result of the tool; null before.' }),
    decision: ActionDecision.nullable().meta({
      description: 'The approval or rejection of this call, with its reason.',
    }),
    started_at: z.iso.datetime().nullable().meta({ description: 'When the call began; null before.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'When the call ended; null before.' }),
  })
  .meta({ id: 'RunToolCall' })

export const RunStepType = z.enum(['model', 'tools', 'remote']).meta({
  id: 'RunStepType',
  description: '`model`: a model call. `tools`: tool calls. `remote`: a call of a remote agent.',
})

export const RunStepStatus = z.enum(['running', 'completed', 'failed']).meta({
  id: 'RunStepStatus',
  description: '`failed`: the run failed in this step, or ended before the step did.',
})

const StepAttempt = z
  .object({
    started_at: z.iso.datetime().meta({ description: 'When the try began.' }),
    error: z
      .object({
        code: z.string().meta({ description: 'The error code, as in the `error` of a run.' }),
        message: z
          .string()
          .meta({ description: `What went wrong, for people, at most ${limits.attemptMessageChars} characters.` }),
      })
      .meta({ id: 'StepAttemptError', description: 'Why the try failed.' }),
  })
  .meta({ id: 'StepAttempt' })

export const RunStep = z
  .object({
    object: z.literal('run_step'),
    number: z.int().meta({ description: 'The number of the step, from 1.' }),
    type: RunStepType,
    status: RunStepStatus,
    model: z
      .string()
      .nullable()
      .meta({ description: 'The model that answered, as `provider/model`; null without a model call.' }),
    text: z.string().nullable().meta({ description: 'The text that the model produced in this step.' }),
    tool_calls: z.array(ToolCallView).meta({ description: 'The tool calls of this step.' }),
    decisions: z.array(ActionDecision).meta({ description: 'Decisions of people in this step, with their reasons.' }),
    attempts: z.array(StepAttempt).meta({
      description: `The failed tries of the model provider or remote agent in this step, the last ${limits.stepAttempts} at most. A step that succeeded at once has none.`,
    }),
    usage: RunUsage,
    started_at: z.iso.datetime().meta({ description: 'When the step began.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'When the step ended; null before.' }),
    duration_ms: z.int().nullable().meta({ description: 'Milliseconds from begin to end; null before the end.' }),
  })
  .meta({ id: 'RunStep' })

export type RunStep = z.infer<typeof RunStep>

export const RunDiagnosis = z
  .object({
    run_id: RunId,
    status: RunState,
    waiting_for: z.enum(['slot', 'worker', 'provider', 'action', 'nothing']).meta({
      id: 'RunWaitReason',
      description:
        '`slot`: a free slot. `worker`: a worker to take it. `provider`: the current step, such as a model call. `action`: a person. `nothing`: it has ended.',
    }),
    message: z.string().meta({ description: 'The explanation, for people.' }),
    since: z.iso.datetime().nullable().meta({ description: 'When this wait began.' }),
    queue_position: z.int().nullable().meta({
      description:
        'Position in the queue. For a credential that does not see every run of the organisation: among the runs that it sees.',
    }),
    blocked_by: z
      .array(RunId)
      .meta({ description: 'Runs that hold its slots, up to ten. Those that the credential sees.' }),
    retry_at: z.iso.datetime().nullable().meta({ description: 'When the next attempt is due.' }),
    action_ids: z.array(ActionId).meta({ description: 'Open actions that wait for a decision.' }),
    last_progress_at: z.iso.datetime().nullable().meta({ description: 'When the run last made progress.' }),
    next_deadline_at: z.iso.datetime().nullable().meta({ description: 'When the run times out next.' }),
  })
  .meta({ id: 'RunDiagnosis' })

export type RunDiagnosis = z.infer<typeof RunDiagnosis>

export const HeldContent = z
  .object({
    object: z.literal('held_content'),
    run_id: RunId,
    action_id: ActionId.meta({ description: 'The open action. Send your decision about the content with this id.' }),
    stage: PolicyStage,
    policy_id: PolicyId.meta({ description: 'The policy that asks.' }),
    rule: z.string().meta({ description: 'The rule of the policy that asks, by its id.' }),
    content: z.unknown().meta({
      description:
        'A text, or a JSON value: the input, the output of the agent, the arguments of a tool call, or the result of a tool.',
    }),
  })
  .meta({ id: 'HeldContent', description: 'Content that a policy holds back until a person has decided.' })

export type HeldContent = z.infer<typeof HeldContent>

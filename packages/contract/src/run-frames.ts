import { z } from 'zod'
import { JsonObject } from './fields.ts'
import { PolicyId, RunId } from './ids.ts'
import { PolicyAction, PolicyStage } from './policy-rule.ts'
import { RequiredAction, Run, RunUsage } from './run.ts'
import { RunStepStatus, RunStepType } from './run-views.ts'

/** The frames of a run’s stream. The `data` of a frame depends on its type. */

const step = z.int().meta({ description: 'The number of the step, from 1.' })
const call = z.int().meta({ description: 'The number of the tool call within the step.' })
const tool = z.string().meta({ description: 'The name of the tool.' })

const frame = <const Type extends string, Fields extends z.ZodRawShape>(type: Type, when: string, fields: Fields) =>
  z
    .object({
      type: z.literal(type).meta({ description: 'Equal to `event` of the stream.' }),
      run_id: RunId,
      created_at: z.iso.datetime().meta({ description: 'When it happened.' }),
      ...fields,
    })
    .meta({ id: `${nameOf(type)}Frame`, description: when })

/** `run.tool_call.started` → `RunToolCallStarted` */
const nameOf = (type: string): string =>
  type.replace(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

const ended = { run: Run.meta({ description: 'The whole run at its end.' }) }

export const RunFrame = z
  .discriminatedUnion('type', [
    frame('run.created', 'The run was accepted.', {}),
    frame('run.started', 'The first step of the run begins.', {}),
    frame('run.step.started', 'A step begins.', {
      step,
      step_type: RunStepType.meta({ description: 'What the step does.' }),
      model: z.string().nullable().meta({
        description: 'The model of the agent, as `provider/model`; null without a model call.',
      }),
    }),
    frame('run.step.completed', 'A step has ended and is stored.', {
      step,
      status: RunStepStatus.meta({ description: '`completed` or `failed`.' }),
      model: z.string().nullable().meta({ description: 'The model that answered; null without one.' }),
      usage: RunUsage.meta({ description: 'Tokens and cost of the step.' }),
      duration_ms: z.int().meta({ description: 'Milliseconds from begin to end.' }),
    }),
    frame('run.tool_call.started', 'A tool is called.', {
      step,
      call,
      name: tool,
      arguments: JsonObject.meta({ description: 'The arguments of the call.' }),
    }),
    frame('run.tool_call.completed', 'A tool call has ended.', {
      step,
      call,
      name: tool,
      status: z
        .enum(['completed', 'failed'])
        .meta({ id: 'ToolCallOutcome', description: '`failed`: the agent was told what went wrong.' }),
      result: z.unknown().meta({ description: 'The result of the tool, or its error.' }),
    }),
    frame('run.output.delta', 'A part of the text that the agent produces.', {
      step,
      delta: z.string().meta({ description: 'Text to append to the output of this step.' }),
    }),
    frame('run.output.reset', 'A step is repeated or ended in tool calls: drop the text of its deltas.', { step }),
    frame('run.guardrail', 'A policy has found something. The content itself is not shown.', {
      step: z.int().meta({ description: 'The number of the step; 0 for the input.' }),
      stage: PolicyStage.meta({ description: 'Where it was found.' }),
      policy_id: PolicyId,
      policy_version: z.int().meta({ description: 'The version of the policy.' }),
      rule: z.string().meta({ description: 'The id of the rule within the policy.' }),
      check: z.string().meta({ description: 'The check of the rule.' }),
      action: PolicyAction.meta({ description: 'What the rule does.' }),
      enforced: z.boolean().meta({ description: '`false`: the policy is in shadow mode, so nothing happened.' }),
      reason: z.string().meta({ description: 'Why, in words.' }),
      count: z.int().meta({ description: 'How many pieces were found.' }),
    }),
    frame('run.snapshot', 'Stands for earlier frames that are no longer kept: the state of the run.', {
      run: Run.meta({ description: 'The run as it is now.' }),
    }),
    frame('run.requires_action', 'The run waits for a person.', {
      required_actions: z.array(RequiredAction).meta({ description: 'The open decisions.' }),
    }),
    frame('run.resumed', 'The run continues after a decision.', {}),
    frame('run.cancelling', 'The run is being cancelled.', {}),
    frame('run.completed', 'The run has succeeded. The last frame of the stream.', ended),
    frame('run.failed', 'The run has failed. The last frame of the stream.', ended),
    frame('run.cancelled', 'The run was cancelled. The last frame of the stream.', ended),
  ])
  .meta({
    id: 'RunFrame',
    description: 'The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type.',
  })

export type RunFrame = z.infer<typeof RunFrame>

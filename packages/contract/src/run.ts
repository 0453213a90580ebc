import { z } from 'zod'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { AgentId, RunId } from './ids.ts'
import { RunState } from './run-status.ts'

export const runErrorCodes = [
  'run_timeout',
  'queue_timeout',
  'action_timeout',
  'budget_exceeded',
  'budget_exhausted',
  'guardrail_blocked',
  'agent_error',
  'model_error',
  'tool_error',
  'output_invalid',
  'output_too_large',
  'storage_exceeded',
  'max_steps_exceeded',
  'internal_error',
] as const

export type RunErrorCode = (typeof runErrorCodes)[number]

export const RunErrorName = z.enum(runErrorCodes).meta({ id: 'RunErrorCode', description: 'The cause, for programs.' })

const RunError = z
  .object({
    code: RunErrorName,
    message: z.string().meta({ description: 'The cause in words. The text can change.' }),
    retryable: z.boolean().meta({ description: 'Whether a new run with the same input can succeed.' }),
    details: JsonObject.nullable().meta({ description: 'More about the cause, depending on `code`.' }),
  })
  .meta({ id: 'RunError' })

export const RequiredAction = z
  .object({
    id: z.string().meta({ description: 'Send it as `action_id` with your decision.' }),
    type: z.enum(['approval', 'input', 'reconcile', 'raise_budget']).meta({
      id: 'RequiredActionType',
      description:
        '`approval`: allow or reject a tool call. `input`: provide information. `reconcile`: say what became of a tool call with unknown outcome. `raise_budget`: let the run go on beyond a budget, or raise that.',
    }),
    message: z.string().meta({ description: 'The question, for people.' }),
    tool_call: JsonObject.nullable().meta({ description: 'The tool call in question, with its arguments.' }),
    response_schema: JsonObject.nullable().meta({ description: 'JSON Schema of the payload to send with `respond`.' }),
    created_at: createdAt,
    expires_at: z.iso.datetime().meta({ description: 'The run fails with `action_timeout` at this time.' }),
  })
  .meta({ id: 'RequiredAction' })

export const RunUsage = z
  .object({
    input_tokens: z.int().meta({ description: 'Tokens that models read.' }),
    output_tokens: z.int().meta({ description: 'Tokens that models wrote.' }),
    cached_input_tokens: z.int().meta({ description: 'Input tokens that were read from a cache.' }),
    cache_write_tokens: z.int().meta({ description: 'Input tokens that were written to a cache.' }),
    reasoning_tokens: z.int().meta({ description: 'Output tokens that models spent on reasoning.' }),
    cost_usd: z.number().nullable().meta({ description: 'The cost in US dollars; null if a model has no price.' }),
  })
  .meta({ id: 'RunUsage', description: 'Tokens and cost of the model calls.' })

const RunTiming = z
  .object({
    queue_ms: z.int().nullable().meta({ description: 'Milliseconds before the first step; null before it.' }),
    execution_ms: z.int().nullable().meta({ description: 'Milliseconds in execution; null before the end.' }),
    waiting_ms: z.int().meta({ description: 'Milliseconds of waiting for people.' }),
  })
  .meta({ id: 'RunTiming', description: 'Where the time of the run was spent.' })

/** The contract's seven fields come first and are always there. */
export const Run = z
  .object({
    id: RunId,
    status: RunState,
    output: JsonObject.nullable().meta({
      description: 'The result; null before the end. Text is in the field `result`.',
    }),
    latency_ms: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds from `created_at` to `finished_at`; null before the end.' }),
    tokens_used: z
      .int()
      .meta({ description: 'Input and output tokens together. Informational: the quota counts runs.' }),
    created_at: createdAt,
    agent_id: AgentId.meta({ description: 'The agent that executes the run.' }),
    object: z.literal('run'),
    agent_version: z.int().meta({ description: 'The version of the agent that executes the run.' }),
    deployment_id: z.string().nullable().meta({ description: 'The deployment that selected this version.' }),
    input: JsonObject.meta({ description: 'The input of the request; empty after the data was erased.' }),
    error: RunError.nullable().meta({ description: 'Why the run failed; null otherwise.' }),
    required_actions: z.array(RequiredAction).meta({ description: 'Open decisions of a run in `requires_action`.' }),
    usage: RunUsage,
    timing: RunTiming,
    metadata: z.record(z.string(), z.string()).meta({ description: 'The metadata of the request.' }),
    pipeline_run_id: z.string().nullable().meta({ description: 'The pipeline run that this run belongs to.' }),
    parent_run_id: z.string().nullable().meta({ description: 'The run that created this run.' }),
    created_by: KeyOrPerson.meta({
      description: 'The key or person that created it. A short-lived token counts as its creator.',
    }),
    started_at: z.iso.datetime().nullable().meta({ description: 'Start of the first step; null before.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'End of the run; null before.' }),
    erased_at: z.iso.datetime().nullable().meta({
      description:
        'When the data of the run was erased: input, output, metadata, steps, and the message and details of its error. Null: it was not.',
    }),
    input_preview: z
      .string()
      .optional()
      .meta({ description: 'Only with `view=summary`: the first 200 characters of `input` as JSON.' }),
    output_preview: z.string().nullable().optional().meta({
      description: 'Only with `view=summary`: the first 200 characters of `output` as JSON; null without output.',
    }),
  })
  .meta({ id: 'Run', description: 'One execution of an agent.' })

export type Run = z.infer<typeof Run>

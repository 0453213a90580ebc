import { z } from 'zod'
import { AgentId, RunId } from './ids.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'

const JsonObject = z.record(z.string(), z.unknown())

export const runStatuses = [
  'queued',
  'running',
  'requires_action',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const

export const runErrorCodes = [
  'run_timeout',
  'queue_timeout',
  'action_timeout',
  'budget_exceeded',
  'guardrail_blocked',
  'agent_error',
  'model_error',
  'tool_error',
  'output_invalid',
  'output_too_large',
  'max_steps_exceeded',
  'internal_error',
] as const

export type RunStatus = (typeof runStatuses)[number]
export type RunErrorCode = (typeof runErrorCodes)[number]

const RunError = z
  .object({
    code: z.enum(runErrorCodes),
    message: z.string(),
    retryable: z.boolean(),
    details: JsonObject.nullable(),
  })
  .meta({ id: 'RunError' })

const RequiredAction = z
  .object({
    id: z.string(),
    type: z.enum(['approval', 'input', 'reconcile']),
    message: z.string(),
    tool_call: JsonObject.nullable(),
    response_schema: JsonObject.nullable(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'RequiredAction' })

/** The contract's seven fields come first and are always there. */
export const Run = z
  .object({
    id: RunId,
    status: z.enum(runStatuses),
    output: JsonObject.nullable().meta({ description: 'The result; a text result stands in `result`.' }),
    latency_ms: z.int().nullable().meta({ description: 'From created to finished; null before.' }),
    tokens_used: z.int(),
    created_at: z.iso.datetime(),
    agent_id: AgentId,
    object: z.literal('run'),
    agent_version: z.int(),
    deployment_id: z.string().nullable(),
    input: JsonObject,
    error: RunError.nullable(),
    required_actions: z.array(RequiredAction),
    usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), cost_usd: z.number().nullable() }),
    timing: z.object({ queue_ms: z.int().nullable(), execution_ms: z.int().nullable(), waiting_ms: z.int() }),
    metadata: z.record(z.string(), z.string()),
    pipeline_run_id: z.string().nullable(),
    parent_run_id: z.string().nullable(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Run' })

export type Run = z.infer<typeof Run>

const Metadata = z
  .record(z.string().min(1).max(limits.metadataKeyChars), z.string().max(limits.metadataValueChars))
  .refine((metadata) => Object.keys(metadata).length <= limits.metadataKeys, `at most ${limits.metadataKeys} keys`)
  .meta({
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars },
  })

const CreateRun = z
  .strictObject({
    agent_id: AgentId,
    input: JsonObject.meta({ description: 'What the agent works on; its shape is the agent’s.' }),
    metadata: Metadata.optional().meta({ description: 'Your own notes, returned as they are.' }),
    timeout_seconds: z.int().min(1).max(limits.runTimeoutMaxSeconds).optional(),
  })
  .meta({ id: 'CreateRun' })

export const runs = {
  create: operation({
    method: 'POST',
    path: '/runs',
    summary: 'Invoke an agent',
    description:
      'Creates a run and waits for its result, up to 55 s unless `Prefer` says otherwise. Finished in time: 200. ' +
      'Not finished: 202 with the run as it stands; it goes on, and `Location` says where to look.',
    scope: 'runs:write',
    status: 200,
    alsoStatus: [202],
    input: CreateRun,
    output: Run,
    errors: ['not_found', 'agent_archived', 'idempotency_key_reused', 'input_invalid'],
    idempotent: true,
    prefers: true,
  }),
  get: operation({
    method: 'GET',
    path: '/runs/{id}',
    summary: 'Get a run result',
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found'],
  }),
} as const

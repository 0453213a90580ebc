import { z } from 'zod'
import { ActionId, AgentId, PipelineRunId, RunId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'
import { type RunStatus, runStatuses } from './run-status.ts'
import { RunDiagnosis, RunFrame, RunStep } from './run-views.ts'

export { type RunStatus, runStatuses } from './run-status.ts'

const JsonObject = z.record(z.string(), z.unknown())

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

// Nothing that is kept as text can hold it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the one that is meant
const withoutNul = /^[^\u0000]*$/

const Metadata = z
  .record(
    z.string().min(1).max(limits.metadataKeyChars).regex(withoutNul),
    z.string().max(limits.metadataValueChars).regex(withoutNul),
  )
  .refine((metadata) => Object.keys(metadata).length <= limits.metadataKeys, `at most ${limits.metadataKeys} keys`)
  .meta({
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars, pattern: withoutNul.source },
  })

const CreateRun = z
  .strictObject({
    agent_id: AgentId,
    input: JsonObject.meta({ description: 'What the agent works on; its shape is the agent’s.' }),
    metadata: Metadata.optional().meta({ description: 'Your own notes, returned as they are.' }),
    timeout_seconds: z.int().min(1).max(limits.runTimeoutMaxSeconds).optional(),
  })
  .meta({ id: 'CreateRun' })

const after = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be the id of a frame')
  .transform(Number)
  .optional()
  .meta({ type: 'integer', minimum: 0, description: 'Frames that follow this one; `Last-Event-ID` says the same.' })

const isStatus = (text: string): text is RunStatus => (runStatuses as readonly string[]).includes(text)

const statusList = z
  .string()
  .refine((list) => list.split(',').every(isStatus), `must be one or several of ${runStatuses.join(', ')}`)
  .transform((list) => list.split(',').filter(isStatus))
  .optional()
  .meta({
    type: 'string',
    pattern: `^(${runStatuses.join('|')})(,(${runStatuses.join('|')}))*$`,
    description: `One or several of ${runStatuses.join(', ')}, with commas between.`,
  })

const SendAction = z
  .strictObject({
    id: RunId,
    type: z.enum(['approve', 'reject', 'respond', 'message']),
    action_id: ActionId.optional().meta({ description: 'May be left out when exactly one action is open.' }),
    comment: z.string().max(limits.commentChars).optional().meta({ description: 'Why. It is recorded.' }),
    payload: z
      .unknown()
      .optional()
      .meta({ description: 'For `respond`: what the action asked for. For `message`: `{"message": "…"}`.' }),
  })
  .meta({ id: 'SendAction' })

const creating = {
  scope: 'runs:write',
  status: 200,
  input: CreateRun,
  errors: [
    'not_found',
    'agent_archived',
    'idempotency_key_reused',
    'input_invalid',
    'timeout_not_allowed',
    'concurrency_exceeded',
    'quota_exceeded',
  ],
  idempotent: true,
} as const

export const runs = {
  create: operation({
    ...creating,
    method: 'POST',
    path: '/runs',
    summary: 'Invoke an agent',
    description:
      'Creates a run and waits for its result, up to 55 s unless `Prefer` says otherwise. Finished in time: 200. ' +
      'Not finished, or waiting for a person: 202 with the run as it stands; it goes on, and `Location` says where to look.',
    alsoStatus: [202],
    output: Run,
    prefers: true,
  }),
  stream: operation({
    ...creating,
    method: 'POST',
    path: '/runs/stream',
    summary: 'Stream run output as SSE',
    description:
      'Creates a run and streams its frames until it ends. A stream that breaks is resumed with ' +
      '`GET /runs/{id}/stream`; the run goes on meanwhile.',
    output: RunFrame,
    streams: true,
  }),
  list: operation({
    method: 'GET',
    path: '/runs',
    summary: 'List runs with filters',
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({
      ...Paging(RunId),
      agent_id: AgentId.optional(),
      status: statusList,
      created_after: moment.optional(),
      created_before: moment.optional(),
      pipeline_run_id: PipelineRunId.optional(),
      metadata: Metadata.optional().meta({ description: 'As `metadata[key]=value`; all that are given must fit.' }),
    }),
    output: listOf(Run, 'RunList'),
    errors: ['not_found', 'input_invalid'],
  }),
  get: operation({
    method: 'GET',
    path: '/runs/{id}',
    summary: 'Get a run result',
    crossOrigin: true,
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found'],
  }),
  watch: operation({
    method: 'GET',
    path: '/runs/{id}/stream',
    summary: 'Stream a run from any frame on',
    description:
      'The frames of a run, from the beginning or after the one that `Last-Event-ID` or `after` names, at any age of ' +
      'the run while it is kept, also after its end.',
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({ id: RunId, after }),
    output: RunFrame,
    errors: ['not_found'],
    streams: true,
    crossOrigin: true,
  }),
  steps: operation({
    method: 'GET',
    path: '/runs/{id}/steps',
    summary: 'List the steps of a run',
    description: 'Each model call and tool call with its arguments, result, tokens, cost and times, oldest first.',
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: listOf(RunStep, 'RunStepList'),
    errors: ['not_found'],
  }),
  diagnose: operation({
    method: 'GET',
    path: '/runs/{id}/diagnosis',
    summary: 'Why is it not moving?',
    scope: 'runs:read',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: RunDiagnosis,
    errors: ['not_found'],
  }),
  act: operation({
    method: 'POST',
    path: '/runs/{id}/action',
    summary: 'Send an action to an active run',
    description:
      '`approve`, `reject` and `respond` decide what `required_actions` asks. `message` gives the run one more user ' +
      'message for its next step. The same decision twice has one effect.',
    scope: 'runs:write',
    status: 200,
    input: SendAction,
    output: Run,
    errors: [
      'not_found',
      'run_not_active',
      'no_open_action',
      'action_id_required',
      'action_not_applicable',
      'action_already_resolved',
      'payload_invalid',
      'too_many_actions',
      'idempotency_key_reused',
    ],
    idempotent: true,
    crossOrigin: true,
  }),
  cancel: operation({
    method: 'DELETE',
    path: '/runs/{id}',
    summary: 'Cancel a run',
    description: 'A run that has ended is answered unchanged.',
    scope: 'runs:write',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found'],
  }),
  erase: operation({
    method: 'DELETE',
    path: '/runs/{id}/data',
    summary: 'Erase the data of an ended run',
    description: 'Input, output, steps and events go; the record of the run stays.',
    scope: 'runs:write',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found', 'run_not_ended'],
  }),
} as const

import { z } from 'zod'
import { CreatorId, JsonObject, PlainText, withoutNul } from './fields.ts'
import { ActionId, AgentId, DeploymentId, PipelineRunId, RunId, RunShareId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, createdBetween, idList, listOf, Paging, VersionNumber } from './list.ts'
import { operation } from './operation.ts'
import { Run, runErrorCodes } from './run.ts'
import { RunFrame } from './run-frames.ts'
import { CreatedRunShare, RunShare, ShareRun } from './run-shares.ts'
import { runStatuses } from './run-status.ts'
import { HeldContent, RunDiagnosis, RunStep } from './run-views.ts'

export const Metadata = z
  .record(PlainText.min(1).max(limits.metadataKeyChars), PlainText.max(limits.metadataValueChars))
  .refine(
    (metadata) => Object.keys(metadata).length <= limits.metadataKeys,
    `must have at most ${limits.metadataKeys} keys`,
  )
  .meta({
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars, pattern: withoutNul.source },
  })

const CreateRun = z
  .strictObject({
    agent_id: AgentId,
    input: JsonObject.meta({
      description: 'The input of the agent. It must match the agent’s `input_schema`, if there is one.',
    }),
    metadata: Metadata.optional().meta({
      description: 'Your own key-value pairs, returned unchanged. You can filter runs by them.',
    }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(limits.runTimeoutMaxSeconds)
      .optional()
      .meta({
        description: `The run fails with \`run_timeout\` after this time. Default: the agent’s timeout, else ${limits.runTimeoutDefaultSeconds}; the plan sets the maximum. Time spent waiting for people does not count.`,
      }),
  })
  .meta({ id: 'CreateRun' })

const after = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be the id of a frame, a non-negative integer')
  .transform(Number)
  .optional()
  .meta({
    type: 'integer',
    minimum: 0,
    description: 'Returns the frames after this id. Equivalent to the header `Last-Event-ID`.',
  })

const deltas = z.enum(['true', 'false']).optional().meta({
  description:
    '`false`: leaves out `run.output.delta` and `run.output.reset`, for a client that shows no text while it is produced.',
  default: 'true',
})

const StepNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be the number of a step')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 })

const ListRuns = z
  .strictObject({
    ...Paging(RunId),
    agent_id: AgentId.optional(),
    agent_version: VersionNumber.optional().meta({
      description: 'Only runs of this version of the agent. Needs `agent_id`.',
    }),
    deployment_id: DeploymentId.optional().meta({ description: 'Only runs of this deployment.' }),
    status: commaList(runStatuses).optional(),
    error_code: commaList(
      runErrorCodes,
      'Only runs that failed with one of these codes, separated by commas.',
    ).optional(),
    created_by: CreatorId.optional().meta({
      description: 'Only runs that this API key (`key_…`) or person (`usr_…`) created.',
    }),
    ...createdBetween(),
    pipeline_run_id: PipelineRunId.optional(),
    parent_run_id: RunId.optional().meta({ description: 'Only runs that this run created.' }),
    metadata: Metadata.optional().meta({
      description: 'Send as `metadata[key]=value`. Runs must match all given pairs.',
    }),
    ids: idList(
      RunId,
      limits.filterIds,
      `Only these runs, at most ${limits.filterIds} ids, separated by commas. Unknown ids match nothing.`,
    ).optional(),
    view: z.enum(['full', 'summary']).optional().meta({
      description:
        '`summary`: `input` is `{}`, `output` is null, and `input_preview` and `output_preview` have their first 200 characters.',
    }),
  })
  .refine(({ agent_id, agent_version }) => agent_version === undefined || agent_id !== undefined, {
    path: ['agent_version'],
    message: 'needs agent_id',
  })

const SendAction = z
  .strictObject({
    id: RunId,
    type: z.enum(['approve', 'reject', 'respond', 'message']).meta({
      description:
        '`approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile question, or send a `message`.',
    }),
    action_id: ActionId.optional().meta({
      description:
        'Which open action you decide. Optional if exactly one is open. Always send the id of the question that was read: a decision without ' +
        'it can reach another question that opened meanwhile.',
    }),
    comment: z.string().max(limits.commentChars).optional().meta({ description: 'The reason; it is recorded.' }),
    payload: z.unknown().optional().meta({
      description:
        'Required for `respond`: a value that matches `response_schema`. Required for `message`: `{"message": "…"}`.',
    }),
  })
  .refine(({ type, payload }) => payload !== undefined || (type !== 'respond' && type !== 'message'), {
    path: ['payload'],
    message: 'is required',
  })
  .meta({ id: 'SendAction' })

const creating = {
  scope: 'runs:write',
  names: 'agent',
  resolvedIn: 'accept',
  status: 200,
  input: CreateRun,
  errors: [
    'not_found',
    'agent_archived',
    'idempotency_key_reused',
    'input_invalid',
    'guardrail_blocked',
    'timeout_not_allowed',
    'concurrency_exceeded',
    'quota_exceeded',
    'budget_exhausted',
    'storage_exceeded',
    'config_invalid',
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
      'Creates a run and waits for its result, up to 55 seconds by default; `Prefer` changes the wait. Returns 200 if the run ' +
      'has ended, and 202 if it has not ended or waits for a person. The run then continues; read it at `Location`.',
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
      'Creates a run and streams its frames until the run ends. If the connection breaks, the run continues; resume with ' +
      '`GET /runs/{id}/stream`.',
    output: RunFrame,
    streams: true,
  }),
  list: operation({
    method: 'GET',
    path: '/runs',
    summary: 'List runs with filters',
    scope: 'runs:read',
    names: 'agents',
    status: 200,
    input: ListRuns,
    output: listOf(Run, 'RunList'),
    errors: [],
  }),
  get: operation({
    method: 'GET',
    path: '/runs/{id}',
    summary: 'Get a run result',
    crossOrigin: true,
    shared: true,
    scope: 'runs:read',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found'],
  }),
  watch: operation({
    method: 'GET',
    path: '/runs/{id}/stream',
    summary: 'Stream an existing run from any frame',
    description:
      'Streams the frames of a run from the beginning, or after the frame in `Last-Event-ID` or `after`. Works for active ' +
      'and ended runs, as long as the run is kept.',
    scope: 'runs:read',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId, after, deltas }),
    output: RunFrame,
    errors: ['not_found'],
    streams: true,
    crossOrigin: true,
    shared: true,
  }),
  steps: operation({
    method: 'GET',
    path: '/runs/{id}/steps',
    summary: 'List the steps of a run',
    description:
      'Lists model calls and tool calls with arguments, results, tokens, cost and times, oldest first. `after` and `before` ' +
      'are step numbers.',
    scope: 'runs:read',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId, ...Paging(StepNumber) }),
    output: listOf(RunStep, 'RunStepList'),
    errors: ['not_found'],
    shared: true,
  }),
  diagnose: operation({
    method: 'GET',
    path: '/runs/{id}/diagnosis',
    summary: 'Explain why a run does not progress',
    description: 'Says what the run waits for, since when, and when its next deadline is.',
    scope: 'runs:read',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: RunDiagnosis,
    errors: ['not_found'],
  }),
  held: operation({
    method: 'GET',
    path: '/runs/{id}/held',
    summary: 'Read what a policy holds back',
    description:
      'Shows the content that waits for an approval because of a rule with the action `require_approval`. It is 404 when no such ' +
      'action is open: after the decision, the expiry or the end of the run, the content is not shown here.',
    scope: 'runs:approve',
    names: 'run',
    status: 200,
    input: z.strictObject({
      id: RunId,
      action_id: ActionId.optional().meta({
        description: 'Which open action. Default: the oldest one that holds content.',
      }),
    }),
    output: HeldContent,
    errors: ['not_found'],
  }),
  act: operation({
    method: 'POST',
    path: '/runs/{id}/action',
    summary: 'Send an action to an active run',
    description:
      '`approve`, `reject` and `respond` answer an open action of `required_actions`. `message` adds a user message for the ' +
      'next step. Sending the same decision again has no further effect.',
    scope: 'runs:write',
    conditionalScopes: [
      { scope: 'runs:approve', field: 'type', values: ['approve', 'reject', 'respond'], instead: true },
    ],
    names: 'run',
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
      'guardrail_blocked',
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
    description: 'Stops the run, including a model call in progress. A run that has ended is returned unchanged.',
    scope: 'runs:write',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found'],
    crossOrigin: true,
  }),
  erase: operation({
    method: 'DELETE',
    path: '/runs/{id}/data',
    summary: 'Erase the data of an ended run',
    description:
      'Erases input, output, steps and events. The record of the run stays, with status, times, metadata and error.',
    scope: 'runs:erase',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId }),
    output: Run,
    errors: ['not_found', 'run_not_ended'],
  }),
  share: operation({
    method: 'POST',
    path: '/runs/{id}/shares',
    summary: 'Share a run by a link',
    description:
      'Makes a read-only link to the run, its steps and its stream. It also ends with the key or the membership of its maker, ' +
      'and when the data of the run is erased. Only this response contains the token.',
    scope: 'runs:share',
    alsoScopes: ['runs:read'],
    lasting: true,
    names: 'run',
    status: 201,
    input: ShareRun,
    output: CreatedRunShare,
    errors: ['not_found', 'idempotency_key_reused', 'limit_reached'],
    idempotent: true,
  }),
  shares: operation({
    method: 'GET',
    path: '/runs/{id}/shares',
    summary: 'List the links to a run',
    description: 'Links that have expired or were revoked are not listed. The token is never shown again.',
    scope: 'runs:share',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId, ...Paging(RunShareId) }),
    output: listOf(RunShare, 'RunShareList'),
    errors: ['not_found'],
  }),
  revokeShare: operation({
    method: 'DELETE',
    path: '/runs/{id}/shares/{share_id}',
    summary: 'Revoke a link to a run',
    description: 'The link stops working everywhere within 5 seconds, also for open streams.',
    scope: 'runs:share',
    names: 'run',
    status: 200,
    input: z.strictObject({ id: RunId, share_id: RunShareId }),
    output: RunShare,
    errors: ['not_found'],
  }),
} as const

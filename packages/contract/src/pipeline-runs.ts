import { z } from 'zod'
import { JsonObject, Metadata } from './fields.ts'
import { PipelineId, PipelineRunId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, createdBetween, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { StepKey } from './pipeline.ts'
import {
  PipelineItem,
  PipelineRun,
  PipelineRunDiagnosis,
  PipelineRunFrame,
  pipelineRunBounds,
  pipelineRunStatuses,
} from './pipeline-run.ts'

export const CreatePipelineRun = z
  .strictObject({
    id: PipelineId,
    input: JsonObject.optional().meta({ description: 'The input. Expressions read it as `input`. Default: `{}`.' }),
    metadata: Metadata.optional(),
    timeout_seconds: z
      .int()
      .min(1)
      .max(pipelineRunBounds.timeoutMaxSeconds)
      .optional()
      .meta({
        description: `The pipeline run fails with \`timeout\` after this time, waits for people included. Default: ${pipelineRunBounds.timeoutDefaultSeconds}.`,
      }),
  })
  .meta({ id: 'CreatePipelineRun' })

export type CreatePipelineRun = z.output<typeof CreatePipelineRun>

export const SendPipelineAction = z
  .strictObject({
    id: PipelineRunId,
    type: z
      .enum(['approve', 'reject'])
      .meta({ description: 'The decision on an approval step. `reject` fails the step with `approval_rejected`.' }),
    action_id: StepKey.optional().meta({
      description:
        'Which open action you decide: the key of its approval step. Optional if exactly one approval step waits.',
    }),
    comment: z.string().max(limits.commentChars).optional().meta({ description: 'The reason; it is recorded.' }),
    payload: z.unknown().optional().meta({
      description:
        'With `approve`: a value that matches `response_schema`, if there is one. It is the `payload` of the output of the step.',
    }),
  })
  .meta({ id: 'SendPipelineAction' })

export type SendPipelineAction = z.output<typeof SendPipelineAction>

/** The position of an item, as a cursor. */
const ItemNumber = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be the number of an item')
  .transform(Number)
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999 })

const one = z.strictObject({ id: PipelineRunId })
const reading = {
  method: 'GET',
  scope: 'pipelines:read',
  names: 'agents',
  alsoScopes: ['runs:read'],
  status: 200,
} as const
// Pipeline runs have the inputs and outputs of runs, so the scopes of runs protect them.
const starting = { method: 'POST', scope: 'runs:write', names: 'agents', status: 201, idempotent: true } as const

const startErrors = [
  'not_found',
  'pipeline_archived',
  'input_invalid',
  'guardrail_blocked',
  'budget_exhausted',
  'limit_reached',
  'storage_exceeded',
  'idempotency_key_reused',
] as const

/** `POST /pipelines/{id}/runs` is among them, because it creates a pipeline run. */
export const pipelineRuns = {
  create: operation({
    ...starting,
    path: '/pipelines/{id}/runs',
    summary: 'Start a pipeline run',
    description:
      'Returns when the pipeline run is stored; it does not wait for the steps. Read it at `Location`, follow its stream, or subscribe to ' +
      '`pipeline.completed`. Each step runs with the rights of the caller, which are checked again at its start.',
    input: CreatePipelineRun,
    output: PipelineRun,
    errors: startErrors,
  }),
  list: operation({
    ...reading,
    path: '/pipeline-runs',
    summary: 'List pipeline runs with filters',
    input: z.strictObject({
      ...Paging(PipelineRunId),
      pipeline_id: PipelineId.optional(),
      status: commaList(pipelineRunStatuses).optional(),
      ...createdBetween(),
    }),
    output: listOf(PipelineRun, 'PipelineRunList'),
    errors: [],
  }),
  get: operation({
    ...reading,
    path: '/pipeline-runs/{id}',
    summary: 'Get a pipeline run by id',
    input: one,
    output: PipelineRun,
    errors: ['not_found'],
  }),
  watch: operation({
    ...reading,
    path: '/pipeline-runs/{id}/stream',
    summary: 'Stream a pipeline run',
    description:
      'Begins with the whole pipeline run, then sends each change of a step, and ends with the pipeline run. For the text that an agent ' +
      'produces, stream the run of the step.',
    input: one,
    output: PipelineRunFrame,
    errors: ['not_found'],
    streams: true,
  }),
  items: operation({
    ...reading,
    path: '/pipeline-runs/{id}/steps/{key}/items',
    summary: 'List the items of a step',
    description: 'In the order of the list of `for_each`. `after` and `before` are numbers of items.',
    input: z.strictObject({
      id: PipelineRunId,
      key: StepKey.meta({ description: 'The key of the step.' }),
      ...Paging(ItemNumber),
    }),
    output: listOf(PipelineItem, 'PipelineItemList'),
    errors: ['not_found'],
  }),
  diagnose: operation({
    ...reading,
    path: '/pipeline-runs/{id}/diagnosis',
    summary: 'Explain why a pipeline run does not progress',
    input: one,
    output: PipelineRunDiagnosis,
    errors: ['not_found'],
  }),
  act: operation({
    method: 'POST',
    path: '/pipeline-runs/{id}/action',
    summary: 'Decide an approval step of a pipeline run',
    description:
      'Answers an open action of `required_actions` whose `run_id` is null. Sending the same decision again has no further effect.',
    scope: 'runs:approve',
    names: 'agents',
    status: 200,
    input: SendPipelineAction,
    output: PipelineRun,
    errors: [
      'not_found',
      'run_not_active',
      'no_open_action',
      'action_id_required',
      'action_already_resolved',
      'payload_invalid',
      'guardrail_blocked',
      'budget_exhausted',
      'idempotency_key_reused',
    ],
    idempotent: true,
  }),
  cancel: operation({
    method: 'DELETE',
    path: '/pipeline-runs/{id}',
    summary: 'Cancel a pipeline run',
    description: 'Cancels the runs of its steps and starts no further one. One that has ended is returned unchanged.',
    scope: 'runs:write',
    names: 'agents',
    status: 200,
    input: one,
    output: PipelineRun,
    errors: ['not_found'],
  }),
  rerun: operation({
    ...starting,
    path: '/pipeline-runs/{id}/rerun',
    summary: 'Run a pipeline again from a step',
    description:
      'Starts a pipeline run of the same version with the same input. Steps that do not come after `from_step` keep their outputs and ' +
      'are not run again. If such an output was erased or has expired, it is 422. An approval step among them is not asked again: the ' +
      'first decision counts once more, and `steps[].decision` names it. To be asked again, run from the approval step.',
    storedScopes: [{ scope: 'runs:approve', when: 'kept_approval' }],
    input: z
      .strictObject({
        id: PipelineRunId,
        from_step: StepKey.meta({ description: 'The first step that runs again.' }),
      })
      .meta({ id: 'RerunPipeline' }),
    output: PipelineRun,
    errors: [...startErrors, 'run_not_ended'],
  }),
  erase: operation({
    method: 'DELETE',
    path: '/pipeline-runs/{id}/data',
    summary: 'Erase the data of an ended pipeline run',
    description:
      'Erases input, output, lists and payloads of decisions, and the data of its runs. The records stay, with status, times, metadata ' +
      'and error.',
    scope: 'runs:erase',
    names: 'agents',
    status: 200,
    input: one,
    output: PipelineRun,
    errors: ['not_found', 'run_not_ended'],
  }),
} as const

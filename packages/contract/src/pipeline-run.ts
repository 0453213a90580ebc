import { z } from 'zod'
import { numbersOf, pipelineRunLimitRows } from './bounds.ts'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { PipelineId, PipelineRunId, RunId } from './ids.ts'
import { RequiredAction } from './run.ts'

export const pipelineRunBounds = {
  ...numbersOf(pipelineRunLimitRows),
  timeoutDefaultSeconds: 86_400,
} as const

export const pipelineRunStatuses = ['running', 'cancelling', 'completed', 'failed', 'cancelled'] as const

const PipelineRunState = z.enum(pipelineRunStatuses).meta({
  id: 'PipelineRunStatus',
  description: 'The state of a pipeline run. It ends as `completed`, `failed` or `cancelled`.',
})

const StepState = z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled']).meta({
  id: 'PipelineStepStatus',
  description:
    '`pending`: steps that it depends on have not ended. `running`: items of it run, or it waits for a person. `skipped`: its `when` was false, or a step before it was skipped.',
})

const StepError = z
  .object({
    code: z.string().meta({
      description:
        'The cause, for programs: a code of a run or of a refused run, `expression_failed`, `approval_rejected`, `approval_expired`, `run_cancelled`, `too_many_runs`, `no_progress` or `timeout`.',
    }),
    message: z.string().meta({ description: 'The cause in words. The text can change.' }),
  })
  .meta({ id: 'PipelineStepError' })

const ItemCounts = z
  .object({
    total: z.int().meta({ description: 'The number of items: 1 without `for_each`, 0 before the step starts.' }),
    completed: z.int().meta({ description: 'Items that have succeeded.' }),
    failed: z.int().meta({ description: 'Items that have failed or were cancelled.' }),
    running: z.int().meta({ description: 'Items that were started and have not ended.' }),
  })
  .meta({ id: 'PipelineItemCounts', description: 'How far the items of the step are.' })

const StepDecision = z
  .object({
    type: z.enum(['approve', 'reject']).meta({ id: 'PipelineDecisionType', description: 'The decision.' }),
    decided_by: KeyOrPerson.meta({ description: 'The key or person that decided.' }),
    decided_at: z.iso.datetime().meta({ description: 'When it was decided.' }),
    pipeline_run_id: PipelineRunId.meta({
      description: 'The pipeline run that asked. In a rerun that keeps the decision, it is an earlier one.',
    }),
  })
  .meta({ id: 'PipelineStepDecision' })

export const PipelineStep = z
  .object({
    key: z.string().meta({ description: 'The key of the step in the pipeline.' }),
    run_id: RunId.nullable().meta({
      description: 'The last run of the step; null if it did not run, with `for_each`, and for an approval.',
    }),
    status: StepState,
    items: ItemCounts,
    error: StepError.nullable().meta({ description: 'Why the step failed; null otherwise.' }),
    decision: StepDecision.nullable().meta({
      description: 'The decision on an approval step; null before, and for other steps.',
    }),
    started_at: z.iso.datetime().nullable().meta({ description: 'When the step started; null before.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'When the step ended; null before.' }),
  })
  .meta({ id: 'PipelineStep' })

export type PipelineStep = z.infer<typeof PipelineStep>

const PipelineAction = RequiredAction.extend({
  id: z.string().meta({ description: 'Send it as `action_id` with your decision. Of an approval step: its key.' }),
  step: z.string().meta({ description: 'The key of the step that waits.' }),
  item: z.int().meta({ description: 'The item of the step, from 0.' }),
  run_id: RunId.nullable().meta({
    description:
      'The run that asks: send the decision to `POST /runs/{id}/action`. Null for an approval step: send it to `POST /pipeline-runs/{id}/action`.',
  }),
}).meta({ id: 'PipelineRequiredAction' })

const RunFailure = StepError.extend({
  step: z.string().nullable().meta({ description: 'The step that failed; null if none is the cause.' }),
}).meta({ id: 'PipelineRunError' })

/** The fields of the event `pipeline.completed` come first. */
export const PipelineRun = z
  .object({
    id: PipelineRunId,
    object: z.literal('pipeline_run'),
    pipeline_id: PipelineId.meta({ description: 'The pipeline.' }),
    status: PipelineRunState,
    steps: z.array(PipelineStep).meta({ description: 'The steps in order.' }),
    input: JsonObject.meta({ description: 'The input of the pipeline; empty after the data was erased.' }),
    output: JsonObject.nullable().meta({
      description: 'The output of the pipeline; null without one. A value that is no object is in the field `result`.',
    }),
    error: RunFailure.nullable().meta({ description: 'Why it failed; null otherwise.' }),
    latency_ms: z.int().nullable().meta({ description: 'Milliseconds from creation to end; null before.' }),
    tokens_used: z.int().meta({ description: 'Input and output tokens of all steps.' }),
    created_at: createdAt,
    finished_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null before.' }),
    pipeline_version: z.int().meta({ description: 'The version of the pipeline that it executes.' }),
    metadata: z.record(z.string(), z.string()).meta({ description: 'The metadata of the request.' }),
    required_actions: z.array(PipelineAction).meta({ description: 'Open decisions of its steps.' }),
    rerun_of: PipelineRunId.nullable().meta({
      description: 'The pipeline run whose outputs it reuses; null if it is no rerun.',
    }),
    from_step: z.string().nullable().meta({ description: 'The first step of a rerun that ran again; null otherwise.' }),
    cost_usd: z
      .number()
      .nullable()
      .meta({ description: 'The cost of all steps in US dollars; null if a model has no price.' }),
    created_by: KeyOrPerson.nullable().meta({
      description: 'The key or person that created it. Its steps run with the rights of that key or person.',
    }),
    erased_at: z.iso.datetime().nullable().meta({ description: 'When its data was erased; null: it was not.' }),
  })
  .meta({ id: 'PipelineRun', description: 'One execution of a pipeline.' })

export type PipelineRun = z.infer<typeof PipelineRun>

export const PipelineItem = z
  .object({
    object: z.literal('pipeline_item'),
    item: z.int().meta({ description: 'The position of the item in the list of `for_each`, from 0.' }),
    attempt: z.int().meta({ description: 'The last attempt, from 1.' }),
    status: z.enum(['waiting', 'running', 'completed', 'failed', 'cancelled']).meta({
      id: 'PipelineItemStatus',
      description: '`waiting`: the attempt has no run yet, or waits for its retry.',
    }),
    run_id: RunId.nullable().meta({ description: 'The run of the last attempt; null without one.' }),
    error: StepError.nullable().meta({ description: 'Why the last attempt failed or was refused; null otherwise.' }),
    retry_at: z.iso.datetime().nullable().meta({ description: 'When the next attempt starts; null: none is planned.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'When the item ended; null before.' }),
  })
  .meta({ id: 'PipelineItem', description: 'One item of a step.' })

export type PipelineItem = z.infer<typeof PipelineItem>

export const PipelineRunDiagnosis = z
  .object({
    pipeline_run_id: PipelineRunId,
    status: PipelineRunState,
    waiting_for: z.enum(['worker', 'share', 'runs', 'action', 'retry', 'nothing']).meta({
      id: 'PipelineWaitReason',
      description:
        '`worker`: a worker to advance it. `share`: other pipeline runs of the organisation, which use its share of the workers. `runs`: runs of its steps. `action`: a person. `retry`: the next attempt of an item. `nothing`: it has ended.',
    }),
    message: z.string().meta({ description: 'The explanation, for people.' }),
    since: z.iso.datetime().nullable().meta({ description: 'When this wait began.' }),
    steps: z.array(z.string()).meta({ description: 'The keys of the steps that run or wait.' }),
    run_ids: z
      .array(RunId)
      .meta({ description: `Runs that it waits for, up to ${pipelineRunBounds.diagnosisRuns}, oldest first.` }),
    action_ids: z.array(z.string()).meta({ description: 'Open actions that wait for a decision.' }),
    retry_at: z.iso.datetime().nullable().meta({ description: 'When the next attempt is due.' }),
    last_progress_at: z.iso.datetime().nullable().meta({ description: 'When it last made progress.' }),
    next_deadline_at: z.iso.datetime().nullable().meta({ description: 'When it or a question of it times out next.' }),
  })
  .meta({ id: 'PipelineRunDiagnosis' })

export type PipelineRunDiagnosis = z.infer<typeof PipelineRunDiagnosis>

const frame = <const Type extends string, Fields extends z.ZodRawShape>(type: Type, when: string, fields: Fields) =>
  z
    .object({
      type: z.literal(type).meta({ description: 'Equal to `event` of the stream.' }),
      pipeline_run_id: PipelineRunId,
      ...fields,
    })
    .meta({ id: `${nameOf(type)}Frame`, description: when })

/** `pipeline_run.step` → `PipelineRunStep` */
const nameOf = (type: string): string => type.replace(/(^|[._])([a-z])/g, (_, __, letter) => letter.toUpperCase())

const ended = { pipeline_run: PipelineRun.meta({ description: 'The whole pipeline run at its end.' }) }

/**
 * Ids count the frames, from `Last-Event-ID` on. A stream always begins with a snapshot, so a client that reconnects misses
 * nothing.
 */
export const PipelineRunFrame = z
  .discriminatedUnion('type', [
    frame('pipeline_run.snapshot', 'The first frame of every stream: the pipeline run as it is now.', {
      pipeline_run: PipelineRun.meta({ description: 'The pipeline run as it is now.' }),
    }),
    frame('pipeline_run.step', 'A step has changed.', {
      step: PipelineStep.meta({ description: 'The step as it is now.' }),
    }),
    frame('pipeline_run.requires_action', 'The open decisions have changed.', {
      required_actions: z.array(PipelineAction).meta({ description: 'The open decisions.' }),
    }),
    frame('pipeline_run.cancelling', 'The pipeline run is being cancelled.', {}),
    frame('pipeline_run.completed', 'The pipeline run has succeeded. The last frame of the stream.', ended),
    frame('pipeline_run.failed', 'The pipeline run has failed. The last frame of the stream.', ended),
    frame('pipeline_run.cancelled', 'The pipeline run was cancelled. The last frame of the stream.', ended),
  ])
  .meta({
    id: 'PipelineRunFrame',
    description: 'The `data` of one frame of a stream, by `type`. Ignore frames of an unknown type.',
  })

export type PipelineRunFrame = z.infer<typeof PipelineRunFrame>

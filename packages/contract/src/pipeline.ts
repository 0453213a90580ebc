import { z } from 'zod'
import { numbersOf, pipelineLimitRows } from './bounds.ts'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { AgentId, PipelineId } from './ids.ts'

/** Limits of pipelines. They belong to `limits` as soon as a client can reach them. */
export const pipelineBounds = {
  ...numbersOf(pipelineLimitRows),
  defaultMaxParallel: 10,
} as const

const placeholders = 'placeholders `${{ … }}`'

const words = {
  name: 'The name of the pipeline.',
  description: 'What the pipeline does, for people.',
  definition: 'The steps and the output.',
  steps: 'The steps. A step starts when all steps in its `depends_on` have ended.',
  output: `A JSON value with ${placeholders}. Without it, the output has the output of each final step by its key.`,
  key: 'Unique within the pipeline. Expressions read `steps.<key>.output`.',
  depends_on: 'The keys of the steps that must end before.',
  when: 'A CEL expression. If it is false, the step is skipped.',
  on_error: 'What a failure of the step means for the pipeline run. Default: `fail`.',
  timeout_seconds: 'The timeout of one run of the step, or how long an approval step waits for a person.',
  agent_id: 'The agent that the step runs. Required, unless the step is an approval.',
  input: `The input of the run: a JSON value with ${placeholders}.`,
  for_each: 'A CEL expression that returns a list. The step runs once for each item and returns the list of outputs.',
  max_parallel: `The maximum number of items at the same time. Default: ${pipelineBounds.defaultMaxParallel}.`,
  on_item_error: 'What a failed item means for the step. Default: `fail`.',
  attempts: 'The maximum number of attempts of an item, including the first.',
  on: 'The error codes after which another attempt starts.',
  retry: 'When a failed item is tried again.',
  approval: 'A question to a person.',
  message: `The question, for people. It can have ${placeholders}.`,
  response_schema: 'JSON Schema of the payload of the decision.',
} as const

const StepErrorPolicy = z.enum(['fail', 'continue']).meta({
  id: 'PipelineErrorPolicy',
  description: '`fail`: the pipeline run fails. `continue`: the output of the step is null.',
})

const ItemErrorPolicy = z.enum(['fail', 'continue']).meta({
  id: 'PipelineItemErrorPolicy',
  description: '`fail`: no further item starts, and the step fails. `continue`: the output of the item is null.',
})

const PipelineRetry = z
  .object({
    attempts: z.int().meta({ description: words.attempts }),
    on: z.array(z.string()).meta({ description: words.on }),
  })
  .meta({ id: 'PipelineRetry', description: words.retry })

const PipelineApproval = z
  .object({
    message: z.string().meta({ description: words.message }),
    response_schema: JsonObject.optional().meta({ description: words.response_schema }),
  })
  .meta({ id: 'PipelineApproval', description: words.approval })

const StepDefinition = z
  .object({
    key: z.string().meta({ description: words.key }),
    depends_on: z.array(z.string()).optional().meta({ description: words.depends_on }),
    when: z.string().optional().meta({ description: words.when }),
    on_error: StepErrorPolicy.optional().meta({ description: words.on_error }),
    timeout_seconds: z.int().optional().meta({ description: words.timeout_seconds }),
    agent_id: AgentId.optional().meta({ description: words.agent_id }),
    input: z.unknown().optional().meta({ description: words.input }),
    for_each: z.string().optional().meta({ description: words.for_each }),
    max_parallel: z.int().optional().meta({ description: words.max_parallel }),
    on_item_error: ItemErrorPolicy.optional().meta({ description: words.on_item_error }),
    retry: PipelineRetry.optional(),
    approval: PipelineApproval.optional(),
  })
  .meta({ id: 'PipelineStepDefinition', description: 'A step, as it was sent: one with `agent_id` or an `approval`.' })

export const PipelineDefinition = z
  .object({
    steps: z.array(StepDefinition).meta({ description: words.steps }),
    output: z.unknown().optional().meta({ description: words.output }),
  })
  .meta({ id: 'PipelineDefinition', description: 'The steps of a pipeline and its output.' })

export type PipelineDefinition = z.infer<typeof PipelineDefinition>

export const StepKey = z
  .string()
  .max(pipelineBounds.keyChars)
  .regex(/^[a-z][a-z0-9_]*$/, 'must begin with a small letter and have small letters, digits and _ only')
  .meta({ examples: ['extract'] })

const Expression = z.string().min(1).max(pipelineBounds.expressionChars)

const RetryInput = z
  .strictObject({
    attempts: z.int().min(1).max(pipelineBounds.retryAttempts).meta({ description: words.attempts }),
    on: z
      .array(z.string().min(1).max(pipelineBounds.retryCodeChars))
      .min(1)
      .max(pipelineBounds.retryCodes)
      .meta({ description: words.on, examples: [['model_error', 'run_timeout']] }),
  })
  .meta({ id: 'PipelineRetryInput', description: words.retry })

const ApprovalInput = z
  .strictObject({
    message: z.string().min(1).max(pipelineBounds.approvalMessageChars).meta({ description: words.message }),
    response_schema: JsonObject.optional().meta({ description: words.response_schema }),
  })
  .meta({ id: 'PipelineApprovalInput', description: words.approval })

/** One object for both kinds of steps, so that a fault names its field. The service says which fields do not belong together. */
const StepInput = z
  .strictObject({
    key: StepKey.meta({ description: words.key }),
    depends_on: z.array(StepKey).max(pipelineBounds.steps).optional().meta({ description: words.depends_on }),
    when: Expression.optional().meta({ description: words.when, examples: ['steps.judge.output.label == "urgent"'] }),
    on_error: StepErrorPolicy.optional().meta({ description: words.on_error }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(pipelineBounds.approvalTimeoutSeconds)
      .optional()
      .meta({
        description: `${words.timeout_seconds} At most ${pipelineBounds.stepTimeoutSeconds} for a run.`,
      }),
    agent_id: AgentId.optional().meta({ description: words.agent_id }),
    input: z.unknown().optional().meta({ description: words.input }),
    for_each: Expression.optional().meta({ description: words.for_each, examples: ['steps.plan.output.questions'] }),
    max_parallel: z.int().min(1).max(pipelineBounds.maxParallel).optional().meta({ description: words.max_parallel }),
    on_item_error: ItemErrorPolicy.optional().meta({ description: words.on_item_error }),
    retry: RetryInput.optional(),
    approval: ApprovalInput.optional(),
  })
  .meta({ id: 'PipelineStepInput', description: 'A step: one with `agent_id`, or an `approval`.' })

/** Strict, so that a misspelt field is refused and not ignored. */
export const DefinitionInput = z
  .strictObject({
    steps: z.array(StepInput).min(1).max(pipelineBounds.steps).meta({ description: words.steps }),
    output: z.unknown().optional().meta({ description: words.output }),
  })
  .meta({ id: 'PipelineDefinitionInput', description: words.definition })

export const pipelineStatuses = ['active', 'archived'] as const

const PipelineStatus = z
  .enum(pipelineStatuses)
  .meta({ id: 'PipelineStatus', description: '`archived`: it accepts no new runs and no changes.' })

const content = {
  name: z.string().meta({ description: words.name }),
  description: z.string().nullable().meta({ description: words.description }),
  definition: PipelineDefinition,
}

export const Pipeline = z
  .object({
    id: PipelineId,
    object: z.literal('pipeline'),
    name: content.name,
    description: content.description,
    status: PipelineStatus,
    version: z.int().meta({ description: 'The current version. New pipeline runs use it.' }),
    definition: content.definition,
    metadata: z.record(z.string(), z.string()).meta({ description: 'Your own key-value pairs.' }),
    created_at: createdAt,
    updated_at: z.iso.datetime().meta({ description: 'When it was last changed.' }),
    archived_at: z.iso.datetime().nullable().meta({ description: 'When it was archived; null if it is active.' }),
  })
  .meta({ id: 'Pipeline', description: 'Steps that run agents and ask people, in the order of their dependencies.' })

export type Pipeline = z.infer<typeof Pipeline>

export const PipelineVersion = z
  .object({
    object: z.literal('pipeline_version'),
    pipeline_id: PipelineId,
    version: z.int().meta({ description: 'The number of the version, from 1.' }),
    ...content,
    created_by: KeyOrPerson.nullable().meta({
      description: 'The key or person that created the version; null for the operator.',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'PipelineVersion', description: 'One version of a pipeline. It never changes.' })

export type PipelineVersion = z.infer<typeof PipelineVersion>

const PipelineChange = z
  .object({
    path: z.string().meta({
      description: 'The path of the field. A step has its key in it. `definition.steps` has the keys in order.',
      examples: ['definition.steps.extract.timeout_seconds'],
    }),
    old: z.unknown().meta({ description: 'The old value; null if there was none.' }),
    new: z.unknown().meta({ description: 'The new value; null if there is none.' }),
  })
  .meta({ id: 'PipelineChange' })

export const PipelineDiff = z
  .object({
    object: z.literal('pipeline_diff'),
    pipeline_id: PipelineId,
    from: z.int().meta({ description: 'The version that is compared.' }),
    to: z.int().meta({ description: 'The version that it is compared with.' }),
    changes: z.array(PipelineChange).meta({ description: 'The fields that differ.' }),
  })
  .meta({ id: 'PipelineDiff' })

export type PipelineDiff = z.infer<typeof PipelineDiff>

const PipelineProblem = z
  .object({
    param: z.string().meta({ description: 'The path of the field.', examples: ['definition.steps.2.when'] }),
    message: z.string().meta({ description: 'The problem in words. The text can change.' }),
    position: z.int().nullable().meta({
      description: 'Where it is in the text of the field, in UTF-16 code units from 0; null: the whole field.',
    }),
  })
  .meta({ id: 'PipelineProblem' })

export const PipelineCheck = z
  .object({
    object: z.literal('pipeline_check'),
    problems: z.array(PipelineProblem).meta({
      description: 'Everything that keeps the definition from being saved, at most 100. Empty: it can be saved.',
    }),
  })
  .meta({ id: 'PipelineCheck', description: 'The result of checking a definition.' })

export type PipelineCheck = z.infer<typeof PipelineCheck>

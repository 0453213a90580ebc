import type { JsonValue } from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'

/** What a pipeline does, in the words of the API. A version of a pipeline never changes. */
export type PipelineDefinition = {
  steps: readonly PipelineStep[]
  /** With placeholders. Without it the output has the output of each final step by its key. */
  output?: JsonValue
}

export type PipelineStep = AgentStep | ApprovalStep

type AnyStep = {
  /** Unique within the pipeline. Expressions say `steps.<key>.output`. */
  key: string
  depends_on?: readonly string[]
  /** An expression, with or without `${{ }}` around it. False: the step is skipped. */
  when?: string
  /** What a failure of the step means for the pipeline run. `fail` by default. */
  on_error?: 'fail' | 'continue'
  /** Of one run of an agent step, or how long an approval step waits for a person. */
  timeout_seconds?: number
}

/** One run of an agent, or one for each item of a list. */
export type AgentStep = AnyStep & {
  agent_id: string
  /** With placeholders. */
  input?: JsonValue
  /** An expression that answers a list, with or without `${{ }}` around it. Its output is the list of the outputs of the items. */
  for_each?: string
  max_parallel?: number
  /** What a failed item means for the step. `fail` by default: no further item starts. `continue`: its output is null. */
  on_item_error?: 'fail' | 'continue'
  /** `attempts` counts the first one. `on` names the error codes after which the next attempt starts. */
  retry?: { attempts: number; on: readonly string[] }
}

/** A question to a person. Its output is `{"payload", "comment"}` of the decision. */
export type ApprovalStep = AnyStep & {
  approval: { message: string; response_schema?: { readonly [name: string]: JsonValue } }
}

export const pipelineLimits = {
  steps: pipelinesBounds.steps.count,
  keyChars: pipelinesBounds.stepKey.chars,
  /** Of one step with `for_each`. */
  itemsPerStep: pipelinesBounds.itemsOfStep.count,
  /** Of one pipeline run. Each attempt of each item is a run. */
  runsPerPipelineRun: pipelinesBounds.runsOfPipelineRun.count,
  maxParallel: pipelinesBounds.itemsAtOnce.count,
  defaultMaxParallel: 10,
  retryAttempts: pipelinesBounds.attempts.count,
  retryCodes: pipelinesBounds.retryCodes.count,
  stepTimeoutSeconds: pipelinesBounds.stepTime.seconds,
  approvalTimeoutSeconds: pipelinesBounds.approvalTime.seconds,
  approvalMessageChars: pipelinesBounds.approvalMessage.chars,
  /** Of what the expressions of one value, or of one step, read. */
  scopeBytes: pipelinesBounds.scope.bytes,
  /** Of the JSON of one list of `for_each`, and of one question. Each is written by a statement of less than 1 MiB. */
  storedBytesPerStep: pipelinesBounds.storedOfStep.bytes,
  /** Of all lists and questions of one pipeline run. */
  storedBytes: pipelinesBounds.storedOfPipelineRun.bytes,
  /** Placeholders, conditions and loops of one definition. */
  expressions: pipelinesBounds.expressions.count,
  problems: pipelinesBounds.problemsTold.count,
  /** Of one call of `advance`. The next call continues. */
  decisionsPerAdvance: pipelinesBounds.decisions.count,
} as const

export const isApproval = (step: PipelineStep): step is ApprovalStep => 'approval' in step

/** An agent step without `for_each` has one item, as an approval step has. */
export const hasItems = (step: PipelineStep): step is AgentStep & { for_each: string } =>
  !isApproval(step) && step.for_each !== undefined

/** The keys of the steps on which no other step depends. */
export const finalStepsOf = ({ steps }: PipelineDefinition): string[] => {
  const needed = new Set(steps.flatMap(({ depends_on = [] }) => depends_on))
  return steps.flatMap(({ key }) => (needed.has(key) ? [] : [key]))
}

import type { JsonValue, PipelineStep } from '../definition.ts'

/** What the expressions of a pipeline may read. `item` and `index`: of a step with `for_each`. */
export type PipelineScope = {
  readonly input: JsonValue
  readonly steps: Readonly<Record<string, { readonly status: string; readonly output: JsonValue }>>
  readonly item?: JsonValue
  readonly index?: number
}

type ExpressionFault = { kind: 'fault'; code: string; message: string }

/** Evaluates the expressions of customers, in threads. `busy`: too many wait; try again later. */
export type RunExpressions = {
  /** What `when` and `for_each` of the step say. `list` is null without `for_each`. */
  open(
    org: string,
    step: PipelineStep,
    scope: PipelineScope,
  ): Promise<
    | { kind: 'run'; items: number; list: readonly JsonValue[] | null }
    | { kind: 'skip' }
    | ExpressionFault
    | { kind: 'busy' }
  >
  /** The value with its placeholders filled. */
  render(
    org: string,
    value: JsonValue,
    scope: PipelineScope,
  ): Promise<{ kind: 'rendered'; value: JsonValue } | ExpressionFault | { kind: 'busy' }>
}

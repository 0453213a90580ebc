import { finalStepsOf, hasItems, type JsonValue, type PipelineDefinition, type PipelineStep } from '../definition.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'
import { ancestorsOf } from '../step-graph.ts'

/** The settled steps that the expressions of a definition read. Outputs may be large, so no other is loaded. */
export type StepReads = {
  /** For `when` and `for_each`. */
  ofOpening(step: PipelineStep): string[]
  /** For the input of an item, or for the message of a question. */
  ofInput(step: PipelineStep): string[]
  ofOutput(): string[]
}

/**
 * An expression names each step that it reads, as `steps.<key>`, so its text has the key in it. A key may be found that is not read; that
 * costs a load only.
 */
export const createStepReads = (definition: PipelineDefinition): StepReads => {
  const ancestors = ancestorsOf(definition.steps)
  const named = (keys: Iterable<string>, ...values: readonly (JsonValue | undefined)[]): string[] => {
    const text = JSON.stringify(values)
    return [...keys].filter((key) => text.includes(key))
  }
  const before = (step: PipelineStep): Iterable<string> => ancestors.get(step.key) ?? []
  return {
    ofOpening: (step) => named(before(step), step.when, hasItems(step) ? step.for_each : undefined),
    ofInput: (step) => named(before(step), 'approval' in step ? step.approval.message : step.input),
    ofOutput: () =>
      definition.output === undefined
        ? finalStepsOf(definition)
        : named(
            definition.steps.map(({ key }) => key),
            definition.output,
          ),
  }
}

/** The output of a settled step: null unless it completed. With `for_each`, the list has null for items that failed. */
export const outputOf = (
  step: PipelineStep,
  result: { status: PipelineStepOutcome; items: number; outputs: ReadonlyMap<number, JsonValue> },
): JsonValue => {
  if (result.status !== 'completed') return null
  if (!hasItems(step)) return result.outputs.get(0) ?? null
  return Array.from({ length: result.items }, (_, item) => result.outputs.get(item) ?? null)
}

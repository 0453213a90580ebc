import { finalStepsOf, hasItems, type JsonValue, type PipelineDefinition, type PipelineStep } from '../definition.ts'
import { stepsReadByStep, stepsReadByValue } from '../expression-scope.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'
import { ancestorsOf } from '../step-graph.ts'

/** The settled steps that the expressions of a definition may read. Outputs may be large, so no other is loaded. */
export type StepReads = { ofStep(step: PipelineStep): string[]; ofOutput(): string[] }

export const createStepReads = (definition: PipelineDefinition): StepReads => {
  const { steps, output } = definition
  const ancestors = ancestorsOf(steps)
  return {
    ofStep: (step) => [...stepsReadByStep(step, ancestors.get(step.key) ?? [])],
    ofOutput: () => {
      if (output === undefined) return finalStepsOf(definition)
      const keys = steps.map(({ key }) => key)
      return [...stepsReadByValue(output, keys)]
    },
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

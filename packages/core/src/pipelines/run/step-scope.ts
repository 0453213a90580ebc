import { finalStepsOf, hasItems, type PipelineDefinition, type PipelineStep } from '../definition.ts'
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

/** What a settled step gave: the outputs of its completed items as JSON, by their numbers. */
export type SettledResult = {
  status: PipelineStepOutcome
  items: number
  /** `too_large`: together they have more bytes than expressions may read. They are not loaded. */
  outputs: ReadonlyMap<number, string> | 'too_large'
}

/**
 * The output of a settled step as JSON: null unless it completed. With `for_each`, the list has null for items that failed. Undefined: it
 * is too large to be read.
 */
export const outputOf = (step: PipelineStep, { status, items, outputs }: SettledResult): string | undefined => {
  if (status !== 'completed') return 'null'
  if (outputs === 'too_large') return
  if (!hasItems(step)) return outputs.get(0) ?? 'null'
  return `[${Array.from({ length: items }, (_, item) => outputs.get(item) ?? 'null').join(',')}]`
}

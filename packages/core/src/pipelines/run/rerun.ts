import { isApproval, type PipelineDefinition } from '../definition.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'
import { ancestorsOf, orderSteps } from '../step-graph.ts'

/**
 * The steps whose results a rerun keeps: those that do not come after `fromStep`, have a result, and depend on such steps only. A step that was
 * cancelled, or failed the pipeline run, has none and runs again.
 */
export const keptSteps = (
  { steps }: PipelineDefinition,
  fromStep: string,
  outcomeOf: (key: string) => PipelineStepOutcome | null,
): string[] => {
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const ancestors = ancestorsOf(steps)
  const kept = new Set<string>()
  for (const key of orderSteps(steps).order) {
    const { depends_on = [], on_error = 'fail' } = byKey.get(key) ?? {}
    const outcome = outcomeOf(key)
    const hasResult =
      outcome === 'completed' || outcome === 'skipped' || (outcome === 'failed' && on_error === 'continue')
    const isAfter = key === fromStep || (ancestors.get(key)?.has(fromStep) ?? false)
    if (hasResult && !isAfter && depends_on.every((each) => kept.has(each))) kept.add(key)
  }
  return [...kept]
}

/** The approval steps among the kept ones that a step depends on, directly or not, which runs again: what they allowed is repeated. */
export const repeatedApprovals = ({ steps }: PipelineDefinition, kept: readonly string[]): string[] => {
  const ancestors = ancestorsOf(steps)
  const again = steps.filter(({ key }) => !kept.includes(key))
  return steps.flatMap((step) =>
    isApproval(step) && kept.includes(step.key) && again.some(({ key }) => ancestors.get(key)?.has(step.key))
      ? [step.key]
      : [],
  )
}

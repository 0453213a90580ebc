import { duration } from '../../ui/format.ts'
import type { DraftStep } from './draft-definition.ts'

/** `3 of 5 items, 1 failed`. Empty for a step without a list, which has one item. */
export const itemWords = (items: { total: number; completed: number; failed: number }): string => {
  if (items.total <= 1) return ''
  const failed = items.failed > 0 ? `, ${items.failed} failed` : ''
  return `${items.completed} of ${items.total} items${failed}`
}

/** The settings of a step that differ from the defaults: name and value. */
export const stepFacts = (step: DraftStep): readonly (readonly [name: string, value: string])[] => {
  const facts: (readonly [string, string])[] = []
  if (step.dependsOn.length > 0) facts.push(['After', step.dependsOn.join(', ')])
  if (step.when !== null) facts.push(['When', step.when])
  if (step.forEach !== null) facts.push(['For each', step.forEach])
  if (step.maxParallel !== null) facts.push(['At the same time', `at most ${step.maxParallel}`])
  if (step.goesOnAfterItemError) facts.push(['Failed items', 'the step goes on, their output is null'])
  if (step.retry) facts.push(['Retry', `up to ${step.retry.attempts} attempts after ${step.retry.on.join(', ')}`])
  if (step.timeoutSeconds !== null) facts.push(['Timeout', duration(step.timeoutSeconds * 1_000)])
  if (step.goesOnAfterError) facts.push(['After a failure', 'the pipeline goes on, the output is null'])
  return facts
}

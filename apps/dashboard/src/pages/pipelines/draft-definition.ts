import { isObject } from '../../ui/schema-form/schema-fields.ts'
import type { GraphStep } from './step-graph.ts'

/** A step as far as it is written. Fields of a wrong type are left out: the check of the service names them. */
export type DraftStep = GraphStep & {
  agentId: string | null
  /** The question of an approval step; null for a step that runs an agent. */
  question: string | null
  when: string | null
  forEach: string | null
  maxParallel: number | null
  retry: { attempts: number; on: readonly string[] } | null
  timeoutSeconds: number | null
  goesOnAfterError: boolean
  goesOnAfterItemError: boolean
}

/** The steps that have a key. */
export const draftSteps = (definition: unknown): readonly DraftStep[] => {
  const steps = isObject(definition) && Array.isArray(definition.steps) ? definition.steps : []
  return steps.filter(isObject).flatMap((step) => {
    const key = textOf(step.key)
    if (key === null) return []
    const { approval } = step
    return {
      key,
      dependsOn: textsOf(step.depends_on),
      agentId: textOf(step.agent_id),
      question: isObject(approval) ? (textOf(approval.message) ?? '') : null,
      when: textOf(step.when),
      forEach: textOf(step.for_each),
      maxParallel: numberOf(step.max_parallel),
      retry: retryOf(step.retry),
      timeoutSeconds: numberOf(step.timeout_seconds),
      goesOnAfterError: step.on_error === 'continue',
      goesOnAfterItemError: step.on_item_error === 'continue',
    }
  })
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

const retryOf = (value: unknown): DraftStep['retry'] =>
  isObject(value) && typeof value.attempts === 'number' ? { attempts: value.attempts, on: textsOf(value.on) } : null

/** The fields of the input that the definition reads, as an input to fill in. */
export const inputTemplate = (definition: unknown): Record<string, string> =>
  Object.fromEntries(
    [...JSON.stringify(definition ?? null).matchAll(/(?<![.\w])input\.([A-Za-z_]\w*)/g)].map(([, name = '']) => [
      name,
      '',
    ]),
  )

/** Puts another agent into the steps that have this one. The text may have faults, so it is not parsed. */
export const withAgent = (text: string, agentId: string, next: string): string =>
  text.replaceAll(/("agent_id"\s*:\s*)("(?:[^"\\]|\\.)*")/g, (all, name: string, value: string) =>
    value === JSON.stringify(agentId) ? `${name}${JSON.stringify(next)}` : all,
  )

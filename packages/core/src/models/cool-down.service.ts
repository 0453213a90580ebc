import type { Clock } from '@ars/platform/clock'
import { modelsBounds } from './bounds.ts'

export const coolDownMs = 30_000
const maxModels = modelsBounds.modelsResting.count

/**
 * The models that could not answer lately. Each process finds out for itself, and forgets the oldest beyond `maxModels`. `payer`: the
 * organisation with whose key the model is called, because its account says nothing about the accounts of others; null: the operator.
 */
export const createCoolDown = (clock: Pick<Clock, 'monotonicMs'>) => {
  const untilMs = new Map<string, number>()
  const isCooling = (called: CalledBy): boolean => (untilMs.get(nameOf(called)) ?? 0) > clock.monotonicMs()
  return {
    begin: (called: CalledBy): void => {
      const name = nameOf(called)
      untilMs.delete(name)
      untilMs.set(name, clock.monotonicMs() + coolDownMs)
      const [oldest] = untilMs.keys()
      if (untilMs.size > maxModels && oldest !== undefined) untilMs.delete(oldest)
    },
    /** The same models; those that could not answer lately come last. */
    inOrder: (models: readonly CalledBy[]): string[] =>
      [...models.filter((called) => !isCooling(called)), ...models.filter(isCooling)].map(({ model }) => model),
  }
}

type CalledBy = { model: string; payer: string | null }

const nameOf = ({ model, payer }: CalledBy): string => (payer === null ? model : `${payer} ${model}`)

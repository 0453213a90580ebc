import type { Clock } from '@ars/platform/clock'
import { modelsBounds } from './bounds.ts'

export const coolDownMs = 30_000
const maxModels = modelsBounds.modelsResting.count

/** The models that could not answer lately. Each process finds out for itself, and forgets the oldest beyond `maxModels`. */
export const createCoolDown = (clock: Pick<Clock, 'monotonicMs'>) => {
  const untilMs = new Map<string, number>()
  const isCooling = (model: string): boolean => (untilMs.get(model) ?? 0) > clock.monotonicMs()
  return {
    begin: (model: string): void => {
      untilMs.delete(model)
      untilMs.set(model, clock.monotonicMs() + coolDownMs)
      const [oldest] = untilMs.keys()
      if (untilMs.size > maxModels && oldest !== undefined) untilMs.delete(oldest)
    },
    /** The same models; those that could not answer lately come last. */
    inOrder: (models: readonly string[]): string[] => [
      ...models.filter((model) => !isCooling(model)),
      ...models.filter(isCooling),
    ],
  }
}

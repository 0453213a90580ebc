import type { Clock } from '@ars/platform/clock'
import { costOf, type Usage } from './cost.ts'
import type { ModelEntry } from './models-file.ts'

/**
 * For the metrics: one call of a provider, without retries. `model` is the name in the operator's file, possibly with a
 * star, so that customers cannot add values.
 */
export type ModelCallMetrics = {
  provider: string
  model: string
  /** Whose key pays for it. */
  account: 'operator' | 'organisation'
  outcome: 'ok' | 'error' | 'aborted'
  durationMs: number
  /** Null: the call failed. */
  usage: Usage | null
  /** Null: the model has no price. */
  costUsd: number | null
}

export type OnCall = (call: ModelCallMetrics) => void

type Call = {
  entry: Pick<ModelEntry, 'provider' | 'pattern' | 'price'>
  account: ModelCallMetrics['account']
  signal: AbortSignal
}

export const createMeasured =
  ({ clock, onCall }: { clock: Clock; onCall: OnCall }) =>
  async <Answer extends { usage: Usage }>(
    { entry, account, signal }: Call,
    ask: () => Promise<Answer>,
  ): Promise<Answer> => {
    const { provider, pattern: model, price } = entry
    const startedMs = clock.monotonicMs()
    const note = (outcome: ModelCallMetrics['outcome'], usage: Usage | null): void =>
      onCall({
        provider,
        model,
        account,
        outcome,
        durationMs: clock.monotonicMs() - startedMs,
        usage,
        costUsd: usage && costOf(usage, price),
      })
    try {
      const answer = await ask()
      note('ok', answer.usage)
      return answer
    } catch (error) {
      note(signal.aborted ? 'aborted' : 'error', null)
      throw error
    }
  }

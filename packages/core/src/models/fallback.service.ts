import type { Clock } from '@ars/platform/clock'
import type { Log } from '@ars/platform/log/log'
import { createCoolDown } from './cool-down.service.ts'
import { addCosts, addUsage } from './cost.ts'
import { ModelFailure, type ModelReply, type ModelRequest, nothingSpent, type Spent } from './model.ts'
import { quickRetryLimits, type RetryLimits, retryLimits } from './retry.ts'
import { isSimulated } from './simulation.ts'

export type OnFallback = (models: { from: string; to: string }) => void

type Call = (request: ModelRequest, limits: RetryLimits) => Promise<ModelReply>

/**
 * Calls the model of the request, and the next one of its fallbacks while a model cannot answer. A model that was heard
 * keeps the call: its text is in the feed, and another model would say something else.
 */
export const createFallback = ({
  clock,
  log,
  call,
  payerOf,
  onFallback,
}: {
  clock: Clock
  log: Log
  call: Call
  /** The organisation with whose key the model is called; null: the operator. */
  payerOf(request: ModelRequest, model: string): Promise<string | null>
  onFallback: OnFallback
}) => {
  const coolDown = createCoolDown(clock)

  return async (request: ModelRequest, fallbacks: readonly string[]): Promise<ModelReply> => {
    const calledBy = async (model: string) => ({ model, payer: await payerOf(request, model) })
    let isHeard = false
    const onText = (text: string): void => {
      isHeard = true
      request.onText(text)
    }

    const ask = async (model: string, rest: readonly string[], spent: Spent): Promise<ModelReply> => {
      const [next, ...others] = rest
      request.onModel?.(model)
      try {
        const limits = next === undefined ? retryLimits : quickRetryLimits
        const reply = await call({ ...request, model, onText }, limits)
        return spent === nothingSpent ? reply : { ...reply, ...sumOf(spent, reply) }
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error
        // What a simulated model does is decided by the run, and says nothing about other runs.
        if (error.isUnavailable && !isSimulated(model)) coolDown.begin(await calledBy(model))
        const failure = error.after(spent)
        if (next === undefined || isHeard || !error.isUnavailable) throw failure
        log.warn('model falls back', { model, to: next, run_id: request.simulation.runId, reason: error.message })
        onFallback({ from: model, to: next })
        return ask(next, others, failure)
      }
    }

    const models = await Promise.all([request.model, ...fallbacks].map(calledBy))
    const [first = request.model, ...rest] = coolDown.inOrder(models)
    if (first !== request.model) onFallback({ from: request.model, to: first })
    return ask(first, rest, nothingSpent)
  }
}

const sumOf = (one: Spent, other: Spent): Spent => ({
  usage: addUsage(one.usage, other.usage),
  costUsd: addCosts(one.costUsd, other.costUsd),
})

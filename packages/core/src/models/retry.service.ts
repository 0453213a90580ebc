import type { RunErrorCode } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Log } from '@ars/platform/log/log'
import { ProviderError } from './failure.ts'
import { ModelFailure, type ModelRequest } from './model.ts'
import { decideRetry, type RetryLimits, retryLimits } from './retry.ts'

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type Persist = <Answer>(
  request: ModelRequest,
  ask: (request: ModelRequest, tries: number) => Answer | Promise<Answer>,
  limits: RetryLimits,
) => Promise<Answer>

/** Retries until there is a reply, a permanent error, or no time left. */
export const createPersist = ({
  clock,
  log,
  sleep,
  random,
}: {
  clock: Clock
  log: Log
  sleep: Sleep
  random: () => number
}): Persist => {
  return async (request, ask, given) => {
    const { signal } = request
    let hasText = false
    let limits = given
    const onText = (text: string): void => {
      hasText = true
      // Nobody else continues a text.
      limits = retryLimits
      request.onText(text)
    }
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      const startedMs = clock.monotonicMs()
      try {
        return await ask({ ...request, onText }, tries)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ModelFailure)
          request.onFailedTry({ startedMs, code: codeOf(error), message: error.message })
        if (!(error instanceof ProviderError)) throw error
        request.onFailedTry({ startedMs, code: 'model_error', message: error.message })
        log.warn('model call failed', {
          model: request.model,
          run_id: request.simulation.runId,
          tries,
          reason: error.message,
          detail: error.detail,
        })
        const decision = decideRetry({ failedTries: tries, retryAfterMs: error.retryAfterMs, random: random(), limits })
        if (!error.retryable || !decision.retry) throw failureOf(error, tries, limits)
        if (hasText) request.onRestart()
        hasText = false
        request.onBackOff({ untilMs: clock.now().getTime() + decision.waitMs, message: error.message })
        await sleep(decision.waitMs, signal).catch((reason: unknown) => {
          signal.throwIfAborted()
          throw reason
        })
      }
    }
  }
}

const codeOf = ({ code = 'model_error' }: ModelFailure): RunErrorCode => code

const failureOf = (error: ProviderError, tries: number, limits: RetryLimits): ModelFailure => {
  const { message, retryable, isUnavailable, retryAfterMs, cause } = error
  const asksTooLong = retryAfterMs !== undefined && retryAfterMs > limits.longestRetryAfterMs
  const also = asksTooLong ? `. It asks to wait ${Math.ceil(retryAfterMs / 1000)} s` : ''
  const often = retryable && !asksTooLong && tries > 1 ? ` (tried ${tries} times)` : ''
  return new ModelFailure(`${message}${retryable ? also : ''}${often}`, { retryable, isUnavailable, cause })
}

import type { Clock } from '@ars/platform/clock'
import { guardrailsBounds } from '../bounds.ts'

const breakerLimits = {
  failures: guardrailsBounds.breakerFailures.count,
  openMs: guardrailsBounds.breakerPause.ms,
  keys: guardrailsBounds.breakersKnown.count,
} as const

/**
 * Circuit breakers by key. After some failures in a row nothing is called for a while; then one call probes, and its
 * result decides. Each process finds out for itself, and forgets the oldest keys beyond a bound.
 */
export type Breakers = {
  /** False: do not call. After true, `end` must follow. */
  begin(key: string): boolean
  /** `unknown`: the caller gave up, which says nothing about the host. */
  end(key: string, result: 'ok' | 'failed' | 'unknown'): void
}

type State = { failures: number; openUntilMs: number; isProbed: boolean }

export const createBreakers = (clock: Pick<Clock, 'monotonicMs'>): Breakers => {
  const states = new Map<string, State>()
  const keep = (key: string, state: State): void => {
    states.delete(key)
    states.set(key, state)
    const [oldest] = states.keys()
    if (states.size > breakerLimits.keys && oldest !== undefined) states.delete(oldest)
  }
  return {
    begin: (key) => {
      const state = states.get(key)
      if (!state || state.failures < breakerLimits.failures) return true
      if (state.isProbed || state.openUntilMs > clock.monotonicMs()) return false
      state.isProbed = true
      return true
    },
    end: (key, result) => {
      const { failures = 0, openUntilMs = 0 } = states.get(key) ?? {}
      if (result === 'ok') states.delete(key)
      else if (result === 'unknown') {
        if (failures > 0) keep(key, { failures, openUntilMs, isProbed: false })
      } else
        keep(key, { failures: failures + 1, openUntilMs: clock.monotonicMs() + breakerLimits.openMs, isProbed: false })
    },
  }
}

import { runsBounds } from '../bounds.ts'

const maxRefusedMs = runsBounds.invocationRefused.ms
/** The engine probe runs every ten seconds, and one that gets no answer takes five more. */
const maxAnswerAgeMs = runsBounds.engineAnswerAge.ms

/**
 * Whether the engine retries an invocation in vain: nobody has answered at its address for 15 s, while a worker answered
 * a probe. `refusedSinceMs`: since when it was found unreachable. `answeredMs`: when a worker last answered a probe.
 */
export const isLost = ({
  refusedSinceMs,
  answeredMs,
  nowMs,
}: {
  refusedSinceMs: number | undefined
  answeredMs: number
  nowMs: number
}): boolean => {
  // No worker would take it over.
  if (nowMs - answeredMs > maxAnswerAgeMs) return false
  if (refusedSinceMs === undefined || answeredMs < refusedSinceMs) return false
  return nowMs - refusedSinceMs >= maxRefusedMs
}

/**
 * Why the engine would retry an invocation in vain. `moved`: at an address that workers have left. `refused`: nobody
 * answers at its address. `mismatch`: a worker of an earlier release began it, with a journal that no handler matches.
 */
export type LossReason = 'moved' | 'refused' | 'mismatch'

export const maxRefusedMs = 15_000
/** The engine probe runs every ten seconds, and one that gets no answer takes five more. */
const maxAnswerAgeMs = 20_000

type FailedInvocation = { isPinnedToOldAddress: boolean; failure: 'unreachable' | 'mismatch' | 'other' }

/** `refusedSinceMs`: since when it was found unreachable. `answeredMs`: when a worker last answered a probe. */
export const lossOf = (
  { isPinnedToOldAddress, failure }: FailedInvocation,
  { refusedSinceMs, answeredMs, nowMs }: { refusedSinceMs: number | undefined; answeredMs: number; nowMs: number },
): LossReason | null => {
  // No worker would take it over.
  if (nowMs - answeredMs > maxAnswerAgeMs) return null
  if (failure === 'mismatch') return 'mismatch'
  if (isPinnedToOldAddress) return 'moved'
  if (refusedSinceMs === undefined || answeredMs < refusedSinceMs) return null
  return nowMs - refusedSinceMs >= maxRefusedMs ? 'refused' : null
}

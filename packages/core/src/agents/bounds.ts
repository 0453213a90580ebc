import type { Bounds } from '@ars/platform/bounds'

export const agentsBounds = {
  faultsTold: { count: 100, atBound: 'further faults are not named' },
  updateTries: { count: 10, atBound: 'refused with 503 `unavailable` and `Retry-After`' },
  runsCounted: { count: 10_000, atBound: 'the count stops there and is marked as capped' },
} satisfies Bounds

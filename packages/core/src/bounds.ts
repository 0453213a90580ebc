import type { Bounds } from '@ars/platform/bounds'

export const coreBounds = {
  dueRowsCompared: { count: 1_000, atBound: 'later rows wait for the next claim' },
  waitingCounted: { count: 1_000, atBound: 'the count stops there and says so' },
} satisfies Bounds

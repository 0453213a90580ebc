import type { Bounds } from '@ars/platform/bounds'

export const budgetsBounds = {
  budgetsTogether: { count: 200, atBound: 'the rest is read by the next statement' },
  oldCountersTogether: { count: 1000, atBound: 'the rest is deleted by the next statement' },
} satisfies Bounds

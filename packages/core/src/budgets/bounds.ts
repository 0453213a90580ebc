import type { Bounds } from '@ars/platform/bounds'

export const budgetsBounds = {
  budgetsTogether: { count: 200, atBound: 'the rest is read by the next statement' },
} satisfies Bounds

import type { Bounds } from '@ars/platform/bounds'

export const alertsBounds = {
  rulesTogether: { count: 500, atBound: 'the rest is evaluated in the next round' },
  ruleRounds: { count: 20, atBound: 'the rest waits for the next sweep' },
  periodsTold: { count: 100, atBound: 'earlier periods are not told' },
} satisfies Bounds

import type { Bounds } from '@ars/platform/bounds'

export const deploymentsBounds = {
  runsCompared: { count: 20_000, atBound: 'earlier runs are not compared' },
  canariesTogether: { count: 20, atBound: 'the rest is judged in the next round' },
  canaryRounds: { count: 10, atBound: 'the rest waits for the next sweep' },
  deploymentsOfVersion: { count: 1000, atBound: 'earlier deployments are not named' },
} satisfies Bounds

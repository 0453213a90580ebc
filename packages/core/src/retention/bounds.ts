import type { Bounds } from '@ars/platform/bounds'

export const retentionBounds = {
  partitionTries: { count: 5, atBound: 'the work waits for the next round' },
  partitionPause: { ms: 500, atBound: 'the lock is asked for again' },
  dailyPartitions: { days: 30, atBound: 'a partition is a week' },
  oldRowsTogether: { count: 1_000, atBound: 'the rest is deleted by the next statement' },
} satisfies Bounds

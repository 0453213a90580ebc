import type { Bounds } from '@ars/platform/bounds'

export const usageBounds = {
  busiestTold: { count: 10, atBound: 'further ones are not told' },
  rowsRead: { count: 20_000, factors: ['widths of time', 'groups'], atBound: 'refused with 422 `range_too_large`' },
  groupsTold: { count: 100, atBound: 'further groups are not told' },
  endsTogether: { count: 500, atBound: 'the rest is counted by the next transaction' },
  notesTogether: { count: 1_000, atBound: 'the rest is counted by the next transaction' },
  uncountedCompared: { count: 1000, atBound: 'the age is that of the oldest of these' },
  rollupBatches: { count: 40, atBound: 'the rest waits for the next round' },
  listed: { count: 1_000, atBound: 'further agents and keys are not listed' },
  leastEndsTogether: { count: 20, atBound: 'a batch that takes too long is not halved further' },
  workUses: { count: 10_000, factors: ['organisations', 'queues'], atBound: 'turns of further pairs are not counted' },
} satisfies Bounds

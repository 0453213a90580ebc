import type { Bounds } from '@ars/platform/bounds'

export const batchesBounds = {
  startsAtOnce: { count: 16, atBound: 'further items wait for an earlier one' },
  erasuresTogether: { count: 100, atBound: 'the rest is erased in the next turn' },
  retryPause: { seconds: 10, atBound: 'a longer pause is cut to this' },
  itemsStoredTogether: {
    count: 500,
    bytes: 1_048_576,
    atBound: 'the rest is stored by the next statement; a larger item is stored alone',
  },
  dropsTogether: { count: 1_000, atBound: 'the rest is dropped by the next transaction' },
  openRuns: { count: 1_000, atBound: 'further items wait until runs of the batch end' },
  startsTogether: { count: 32, atBound: 'the rest is started in the next turn' },
  batchTurns: { count: 8, atBound: 'further batches wait, the organisations with less use first' },
  batchTurnsKept: { count: 2, atBound: 'they stay free for organisations that used little' },
  batchTurnsOfOrganisation: { count: 2, atBound: 'further batches of the organisation wait' },
  batchTries: { count: 5, atBound: 'the batch ends with an error that its customer sees' },
} satisfies Bounds

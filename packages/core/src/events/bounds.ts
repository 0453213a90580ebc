import type { Bounds } from '@ars/platform/bounds'

export const eventsBounds = {
  pipelineRunsTogether: { count: 8, atBound: 'the rest is read after them' },
  bodiesTogether: { count: 32, atBound: 'further bodies wait for the next statements' },
  bodyReads: { count: 2, atBound: 'further bodies wait until statements end' },
  feedsLookedAt: { count: 500, atBound: 'the rest is looked at by the next statement' },
  storedPage: { bytes: 1_048_576, atBound: 'the page ends early, after at least one event' },
  positionBatches: { count: 20, atBound: 'the rest waits for the next round' },
  streamPage: { count: 200, bytes: 131_072, atBound: 'the rest is read by the next statement' },
  streamReads: { count: 4, atBound: 'further organisations wait and hold no connection' },
  page: {
    bytes: 8_388_608,
    factors: ['events', 'size of an event'],
    atBound: 'the page ends early, after at least one event',
  },
  positionsTogether: { count: 500, atBound: 'the rest gets its positions in the next transaction' },
  eventsCompared: { count: 10000, atBound: 'the position is searched among these' },
} satisfies Bounds

import type { Bounds } from '@ars/platform/bounds'

export const limitsBounds = {
  bucketsKnown: { count: 50_000, atBound: 'the bucket that was used least lately is forgotten' },
  bucketsTogether: { count: 200, atBound: 'the rest is asked in the next call' },
  answerAwaited: { ms: 5, atBound: 'the next call is sent beside it' },
} satisfies Bounds

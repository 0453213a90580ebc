import type { Bounds } from '@ars/platform/bounds'

export const secretsBounds = {
  dataKeysKept: { count: 1000, atBound: 'the oldest is forgotten and unwrapped again' },
  organisationsTogether: { count: 100, atBound: 'the rest is read by the next statement' },
  secretsTogether: { count: 100, atBound: 'the rest is sealed in the next transaction' },
  failuresTold: { count: 20, atBound: 'further failures are not told' },
  retiredKeys: { count: 8, atBound: 'no further data key is made until retired ones are deleted' },
  keysRewrapped: { count: 100, atBound: 'the rest is wrapped in the next transaction' },
} satisfies Bounds

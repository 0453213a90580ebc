import type { Bounds } from '@ars/platform/bounds'

export const accessBounds = {
  expiringKeysTogether: { count: 100, atBound: 'the rest is announced in the next round' },
  expiringKeyRounds: { count: 20, atBound: 'the rest waits for the next sweep' },
  callersKnown: { count: 10_000, atBound: 'the oldest is forgotten and looked up again' },
  callerChangesHeard: {
    count: 50,
    atBound: 'further messages of the second are ignored; a change takes effect when the cached answer expires',
  },
  rotations: { count: 100, atBound: 'the creator counts as gone' },
  keyUsesNoted: { count: 10_000, atBound: 'the use of a further key is not noted' },
  organisationsTogether: { count: 200, atBound: 'the rest follows with the next statement' },
  plansFile: { bytes: 64 * 1024, atBound: 'the file is refused' },
  keyLife: { days: 3_650, atBound: 'refused with 422 `input_invalid`' },
} satisfies Bounds

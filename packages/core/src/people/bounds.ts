import type { Bounds } from '@ars/platform/bounds'

export const peopleBounds = {
  ownersTold: { count: 10, atBound: 'further owners are not told' },
  accountsSampled: { count: 1_000, atBound: 'failures of further accounts in this minute are not noted' },
  refusalNotes: { count: 100, atBound: 'the refusal is logged and not noted' },
  accountsTold: { count: 10, atBound: 'organisations of further accounts are not told' },
  decoration: { count: 10, atBound: 'a longer rest does not count as decoration of a weak word' },
  organisationsTogether: { count: 100, atBound: 'the rest is read by the next statement' },
  accountsShown: { count: 100, atBound: 'the operator is not shown further accounts' },
  sessionsKnown: { count: 10_000, atBound: 'the oldest is forgotten and looked up again' },
  sessionsSeen: { count: 10_000, atBound: 'the use of a further session is noted later' },
  sessionChangesHeard: {
    count: 50,
    atBound: 'further messages of the second are ignored; a change takes effect when the cached session expires',
  },
  userAgent: { chars: 500, atBound: 'the text is cut' },
  organisationsOfUser: { count: 1000, atBound: 'further organisations are not listed' },
} satisfies Bounds

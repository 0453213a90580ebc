import type { Bounds } from '@ars/platform/bounds'

export const auditBounds = {
  entriesTogether: { count: 1000, atBound: 'the rest is read by the next statement' },
  refusalsNoted: { count: 10, atBound: 'further refusals of the organisation in this minute are not noted' },
  organisationsNoted: { count: 10_000, atBound: 'refusals of further organisations in this minute are not noted' },
  notesUnderWay: { count: 2, atBound: 'the note is dropped' },
} satisfies Bounds

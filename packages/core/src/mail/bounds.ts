import type { Bounds } from '@ars/platform/bounds'

export const mailBounds = {
  urlHint: { chars: 200, atBound: 'the beginning is cut' },
  message: { chars: 3_000, atBound: 'the message is cut' },
  linkTurns: { count: 6, atBound: 'further mails wait, the organisations with less use first' },
  linkTurnsKept: { count: 2, atBound: 'they stay free for organisations that used little' },
  linkTurnsOfOrganisation: { count: 2, atBound: 'further mails of the organisation wait' },
  eventTurns: { count: 6, atBound: 'further mails wait, the organisations with less use first' },
  eventTurnsKept: { count: 2, atBound: 'they stay free for organisations that used little' },
  eventTurnsOfOrganisation: { count: 2, atBound: 'further mails of the organisation wait' },
  messageTurns: { count: 10, atBound: 'further messages wait, the organisations with less use first' },
  messageTurnsKept: { count: 4, atBound: 'they stay free for organisations that used little' },
  messageTurnsOfOrganisation: { count: 2, atBound: 'further messages of the organisation wait' },
  turn: { ms: 20_000, atBound: 'the turn is asked to end' },
  value: { chars: 500, atBound: 'the value is cut' },
  post: { ms: 15_000, atBound: 'the message is tried again later' },
  answer: { bytes: 4_096, atBound: 'the rest of the answer is not read' },
  name: { chars: 60, atBound: 'the name is cut' },
} satisfies Bounds

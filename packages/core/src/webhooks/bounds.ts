import type { Bounds } from '@ars/platform/bounds'

export const webhooksBounds = {
  answerHeaders: { count: 50, bytes: 8192, atBound: 'further headers are not kept' },
  queuesCompared: { count: 1000, atBound: 'later endpoints wait for the next look' },
  orphansTogether: { count: 500, atBound: 'the rest is read by the next statement' },
  orphansEnded: { count: 1000, atBound: 'the rest is ended by the next transaction' },
  queuesRepaired: { count: 100, atBound: 'the rest waits for the next round' },
  bodiesInFlight: { bytes: 268_435_456, atBound: 'further deliveries wait; one organisation holds at most a quarter' },
  endsTogether: { count: 128, atBound: 'further ends wait for the next statement' },
  endTries: { count: 8, atBound: 'the attempt is repeated when its lease ends' },
  portionsSearched: { count: 10, atBound: 'the page ends early and says where to continue' },
  missedPage: { bytes: 8_388_608, atBound: 'the page ends early, after at least one event' },
  missedTogether: { count: 5, atBound: 'the rest is read after them' },
  recoveryTurns: { count: 4, atBound: 'further recoveries wait, the organisations with less use first' },
  recoveryTurnsKept: { count: 1, atBound: 'they stay free for organisations that used little' },
  recoveryTurnsOfOrganisation: { count: 2, atBound: 'further recoveries of the organisation wait' },
  recoveryPending: { count: 1_000, atBound: 'the recovery waits until half of them are done' },
  waitingEnded: { count: 1000, atBound: 'a sweep ends the rest' },
} satisfies Bounds

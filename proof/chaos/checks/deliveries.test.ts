import { expect, test } from 'vitest'
import type { DeliveryRecords } from '../delivery-records.ts'
import type { ReceiverLine } from '../receiver-journal.ts'
import { eventId, failedEventId, post, soundDeliveries, url } from './deliveries.fixture.ts'
import { judgeDeliveries } from './deliveries.ts'
import type { DeliveryFacts } from './delivery-facts.ts'
import { uuid } from './records.fixture.ts'

const violationsOf = (facts: DeliveryFacts, options?: Parameters<typeof judgeDeliveries>[1]): string[] =>
  judgeDeliveries(facts, options).claims.flatMap(({ says, violations }) => violations.map((each) => `${says}: ${each}`))

const inRecords = (change: (records: DeliveryRecords) => Partial<DeliveryRecords>): DeliveryFacts => {
  const sound = soundDeliveries()
  return { ...sound, records: { ...sound.records, ...change(sound.records) } }
}
const inJournal = (change: (journal: readonly ReceiverLine[]) => readonly ReceiverLine[]): DeliveryFacts => {
  const sound = soundDeliveries()
  return { ...sound, journal: change(sound.journal) }
}

test('acknowledged deliveries, and deliveries that were refused three times, pass the check', () => {
  expect(violationsOf(soundDeliveries())).toEqual([])
})

test('an attempt that a crash swallowed is as it should be: it is on record and nobody received it', () => {
  const swallowed = inJournal((lines) => lines.filter(({ request }) => request !== 4))
  swallowed.records.attempts[3] = { ...swallowed.records.attempts[3]!, duration_ms: null, error: 'interrupted' }
  expect(violationsOf(swallowed)).toEqual([])
})

test.for<[string, DeliveryFacts, string]>([
  ['an end without a delivery', inRecords(({ deliveries }) => ({ deliveries: deliveries.slice(1) })), 'no delivery'],
  [
    'two deliveries of one end',
    inRecords(({ deliveries }) => ({ deliveries: [...deliveries, { ...deliveries[0]!, id: uuid }] })),
    '2 deliveries of one event',
  ],
  [
    'a delivery that never ends',
    inRecords(({ deliveries }) => ({ deliveries: [{ ...deliveries[0]!, status: 'pending' }, deliveries[1]!] })),
    'has not ended',
  ],
  [
    'a failure after two attempts',
    inRecords(({ attempts }) => ({ attempts: attempts.slice(0, -1) })),
    'failed after the attempts 1, 2',
  ],
  [
    'a success that nobody acknowledged',
    inJournal((lines) =>
      lines.map((line) => (line.request === 3 && line.kind === 'answered' ? { ...line, status: 0 } : line)),
    ),
    'was acknowledged: delivery',
  ],
  [
    'a fourth POST',
    inJournal((lines) => [...lines, ...post(6, 12_000, { status: 500, id: failedEventId })]),
    `${url} ${failedEventId}: 4 POSTs`,
  ],
  [
    'a POST that is not on record',
    inJournal((lines) => [...lines, ...post(6, 12_000)]),
    '3 POSTs, 2 attempts on record',
  ],
  [
    'a fourth attempt on record',
    inRecords(({ attempts }) => ({
      attempts: [...attempts, { ...attempts[4]!, number: 4, at: new Date(attempts[4]!.at.getTime() + 9000) }],
    })),
    'attempt 4',
  ],
  [
    'an attempt after the recorded acknowledgement',
    inRecords(({ attempts }) => ({
      attempts: attempts.map((each, n) => (n === 0 ? { ...each, http_status: 200, error: null } : each)),
    })),
    'after 1 was acknowledged',
  ],
  [
    'other bytes at the second attempt',
    inJournal((lines) =>
      lines.map((line) =>
        line.request === 3 && line.kind === 'received' ? { ...line, sha256: 'c'.repeat(64) } : line,
      ),
    ),
    `${eventId}: aaaaaaaaaaaa of 100 bytes, cccccccccccc`,
  ],
  [
    'a signature that is not true',
    inJournal((lines) =>
      lines.map((line) => (line.request === 3 && line.kind === 'received' ? { ...line, plain_by: [] } : line)),
    ),
    'the plain one is not',
  ],
  [
    'a second attempt after half a second',
    inJournal((lines) => lines.map((line) => (line.request === 3 ? { ...line, at_ms: 552 } : line))),
    '500 ms before POST 2',
  ],
  [
    'a third attempt after three seconds, by the record',
    inRecords(({ attempts }) => ({
      attempts: attempts.map((each) =>
        each.number === 3 ? { ...each, at: new Date(each.at.getTime() - 2000) } : each,
      ),
    })),
    'before attempt 3',
  ],
])('%s is found', ([, facts, words]) => {
  expect(violationsOf(facts).join('\n')).toContain(words)
})

const sentAgain = (): DeliveryFacts =>
  inJournal((lines) => [
    ...lines,
    ...post(6, 12_000),
    ...post(7, 13_000, { id: failedEventId }),
    ...post(8, 20_000, { id: failedEventId }),
  ])
const comeAgain = `come again after they were acknowledged, or 10 for each kill: ${url} ${eventId}`

test('more than a fiftieth of what was acknowledged, sent again, is found', () => {
  expect(violationsOf(sentAgain()).join('\n')).toContain(comeAgain)
})

test('each kill of a worker may let ten events come again', () => {
  expect(violationsOf(sentAgain(), { kills: 1 }).join('\n')).not.toContain(comeAgain)
})

test('only the ends of the runs in question are looked for', () => {
  const facts = inRecords(({ deliveries }) => ({ deliveries: deliveries.slice(0, 1) }))
  expect(violationsOf(facts, { subjects: new Set([uuid]) }).join()).not.toContain('there is no delivery')
  expect(violationsOf(facts).join()).toContain('there is no delivery')
})

test('what a person paused is no failure of the service', () => {
  const paused = inRecords(({ deliveries, attempts }) => ({
    deliveries: [deliveries[0]!, { ...deliveries[1]!, error: 'The webhook was paused' }],
    attempts: attempts.slice(0, 4),
  }))
  paused.journal = paused.journal.slice(0, 8)
  expect(violationsOf(paused)).toEqual([])
})

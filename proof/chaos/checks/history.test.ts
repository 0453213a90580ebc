import { expect, test } from 'vitest'
import type { Records } from '../records.ts'
import { checkHistories, checkObservations } from './history.ts'
import { activeRecords, operation, runId, soundRecords, uuid } from './records.fixture.ts'

test('a sound history, ended or under way, has no fault', () => {
  expect(checkHistories(soundRecords())).toEqual([])
  expect(checkHistories(activeRecords())).toEqual([])
})

const plant = (change: (records: Records) => Partial<Records>): Records => {
  const sound = soundRecords()
  return { ...sound, ...change(sound) }
}
const after = (type: string, step: number | null = null) => ({ run_id: uuid, seq: 9, type, step })

test.for<[string, Records, string]>([
  [
    'a second terminal event',
    plant(({ events }) => ({ events: [...events, after('run.failed')] })),
    '2 terminal events',
  ],
  [
    'an event after the end',
    plant(({ events }) => ({ events: [...events, after('run.step.started', 3)] })),
    'after its end',
  ],
  ['a gap', plant(({ events }) => ({ events: events.filter(({ seq }) => seq !== 4) })), 'gap in its feed before 5'],
  ['a missing beginning', plant(({ events }) => ({ events: events.slice(1) })), 'does not begin with run.created'],
  ['an end that was not told', plant(({ events }) => ({ events: events.slice(0, -1) })), '0 terminal events'],
  ['an end told before it is stored', plant(() => ({ results: [] })), '1 terminal events instead of 0'],
  [
    'another end than the stored one',
    plant(() => ({ results: [{ ...soundRecords().results[0]!, status: 'failed', error_code: 'internal_error' }] })),
    'tells of run.completed and is failed',
  ],
  ['two results', plant(({ results }) => ({ results: [...results, ...results] })), 'has 2 results'],
  ['an end beside a living head', plant(() => ({ heads: activeRecords().heads })), 'has ended and is active'],
  [
    'a second announcement',
    plant(({ announcements }) => ({ announcements: [...announcements, ...announcements] })),
    'announced 2 times',
  ],
  ['no announcement', plant(() => ({ announcements: [] })), 'announced 0 times'],
  [
    'a step completed twice',
    plant(({ events }) => ({ events: events.map((event) => ({ ...event, step: event.step && 1 })) })),
    'tells of its steps as 1, 1',
  ],
])('%s is found', ([, records, words]) => {
  expect(checkHistories(records).join('\n')).toContain(words)
})

test('states that follow from each other are as they should be, even where some were not seen', () => {
  const seen = [
    operation(1, 2, { runStatus: 'queued' }),
    operation(3, 4, { status: 503 }),
    operation(5, 6, { runStatus: 'completed' }),
    operation(7, 8, { runStatus: 'completed' }),
  ]
  expect(checkObservations(seen, soundRecords())).toEqual([])
})

test('of two calls under way at the same time either may be answered first', () => {
  const seen = [operation(1, 5, { runStatus: 'running' }), operation(2, 4, { runStatus: 'completed' })]
  expect(checkObservations(seen, soundRecords())).toEqual([])
})

test('a run that goes back is found', () => {
  const seen = [operation(1, 2, { runStatus: 'completed' }), operation(3, 4, { runStatus: 'running' })]
  expect(checkObservations(seen, soundRecords())).toEqual([`run ${runId} was completed, then running`])
})

test('an end that was read and is not the stored one is found', () => {
  const seen = [operation(1, 2, { runStatus: 'failed' })]
  expect(checkObservations(seen, soundRecords())).toEqual([`run ${runId} was read as failed and is completed`])
  expect(checkObservations(seen, activeRecords())).toEqual([`run ${runId} was read as failed and is active`])
})

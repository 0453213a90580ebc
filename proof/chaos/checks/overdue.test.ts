import { expect, test } from 'vitest'
import { checkNothingOverdue } from './overdue.ts'
import { activeRecords, soundRecords, uuid } from './records.fixture.ts'

const readAfter = (seconds: number) => ({
  ...activeRecords(),
  readAt: new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000),
})

test('a run within its time and the minute after it may be active', () => {
  expect(checkNothingOverdue(readAfter(660))).toEqual([])
})

test('a run that is active beyond that is found', () => {
  expect(checkNothingOverdue(readAfter(661))).toEqual([`run ${uuid} had 600 s and is still running`])
})

test('an ended run is never overdue', () => {
  expect(checkNothingOverdue({ ...soundRecords(), readAt: new Date('2030-01-01') })).toEqual([])
})

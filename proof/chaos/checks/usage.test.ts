import { expect, test } from 'vitest'
import { operation, orgId, otherRunId, otherUuid, runId, soundRecords } from './records.fixture.ts'
import { checkCallsCounted } from './usage.ts'

const organisations = [{ id: orgId, label: 'a' }]
const counted = (calls: number) => [{ org_id: orgId, calls }]

test('one run, one call, however often it was asked for', () => {
  const operations = [operation(1, 2, { status: 0 }), operation(3, 4), operation(5, 6)]
  const { calls, violations } = checkCallsCounted({
    operations,
    records: soundRecords(),
    counted: counted(1),
    organisations,
  })
  expect(violations).toEqual([])
  expect(calls).toBe(1)
})

test('a replay that was counted is found, and so is a call that was not', () => {
  const records = soundRecords()
  for (const calls of [0, 2]) {
    const found = checkCallsCounted({
      operations: [operation(1, 2), operation(3, 4)],
      records,
      counted: counted(calls),
      organisations,
    })
    expect(found.violations).toHaveLength(2)
  }
})

test('a key that never got an answer may have been accepted or not', () => {
  const sound = soundRecords()
  const operations = [operation(1, 2, { id: runId }), operation(3, 4, { status: 0, key: 'k-2', id: otherRunId })]
  const accepted = { runs: [...sound.runs, { ...sound.runs[0]!, id: otherUuid }] }
  expect(checkCallsCounted({ operations, records: accepted, counted: counted(2), organisations }).violations).toEqual(
    [],
  )
  expect(checkCallsCounted({ operations, records: sound, counted: counted(1), organisations }).violations).toEqual([])
})

test('the runs of a pipeline are counted, though nobody asked for them one by one', () => {
  const sound = soundRecords()
  const ofPipeline = { ...sound.runs[0]!, id: otherUuid, key: null, is_of_work: true }
  const records = { runs: [...sound.runs, ofPipeline] }
  const check = (calls: number) =>
    checkCallsCounted({ operations: [operation(1, 2)], records, counted: counted(calls), organisations }).violations
  expect(check(2)).toEqual([])
  expect(check(1)).toHaveLength(2)
})

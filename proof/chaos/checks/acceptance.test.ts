import { expect, test } from 'vitest'
import { checkNothingLost, checkOneRunPerKey } from './acceptance.ts'
import { activeRecords, operation, orgId, otherRunId, otherUuid, runId, soundRecords, uuid } from './records.fixture.ts'

test('an acknowledged run that is stored, active or ended, is not lost', () => {
  const calls = [operation(1, 2), operation(3, 4, { status: 503 }), operation(5, 6, { status: 0 })]
  expect(checkNothingLost(calls, soundRecords())).toEqual([])
  expect(checkNothingLost(calls, activeRecords())).toEqual([])
})

test('an acknowledged run that does not exist is found', () => {
  expect(checkNothingLost([operation(1, 2, { id: otherRunId })], soundRecords())).toEqual([
    `${otherRunId} was acknowledged and does not exist`,
  ])
})

test('an acknowledged run without any state is found', () => {
  expect(checkNothingLost([operation(1, 2)], { ...soundRecords(), results: [] })).toEqual([
    `${runId} was acknowledged and is neither active nor ended`,
  ])
})

const organisations = [{ id: orgId, label: 'a' }]

test('one run for its key is as it should be', () => {
  expect(checkOneRunPerKey([operation(1, 2), operation(3, 4)], soundRecords(), organisations)).toEqual([])
})

test('a second run for a key is found in the answers, in the claims and in the runs', () => {
  const sound = soundRecords()
  const second = { ...sound.runs[0]!, id: otherUuid }
  const expected = [`key k-1 of a has 2 runs: ${uuid}, ${otherUuid}`]
  const told = [operation(1, 2), operation(3, 4, { id: otherRunId })]
  expect(checkOneRunPerKey(told, sound, organisations)).toEqual(expected)
  expect(checkOneRunPerKey([], { ...sound, runs: [...sound.runs, second] }, organisations)).toEqual(expected)
  const claims = [{ org_id: orgId, key: 'k-1', run_id: otherUuid }]
  expect(checkOneRunPerKey([], { ...sound, claims }, organisations)).toEqual([
    `key k-1 of a has 2 runs: ${otherUuid}, ${uuid}`,
  ])
})

test('two organisations may use the same key', () => {
  const sound = soundRecords()
  const foreign = { ...sound.runs[0]!, id: otherUuid, org_id: otherUuid }
  expect(checkOneRunPerKey([], { ...sound, runs: [...sound.runs, foreign] }, organisations)).toEqual([])
})

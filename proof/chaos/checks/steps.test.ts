import { expect, test } from 'vitest'
import { activeRecords, soundRecords, uuid } from './records.fixture.ts'
import { checkStoredStepsStay, countSteps } from './steps.ts'

const line = (step: number, attempt: number) => ({ run_id: uuid, step, attempt })
const honest = [line(1, 1), line(2, 2), line(2, 3)]

test('a step that was begun again before it was stored is counted and is no fault', () => {
  expect(checkStoredStepsStay(honest, soundRecords())).toEqual([])
  expect(countSteps(honest, soundRecords())).toEqual({ begun: 3, stored: 2, ranTwice: 1 })
})

test('a step that is not stored yet may begin as often as it likes', () => {
  expect(checkStoredStepsStay([...honest, line(2, 4)], activeRecords())).toEqual([])
})

test('a stored step that runs again is found', () => {
  expect(checkStoredStepsStay([...honest, line(1, 4)], soundRecords())).toEqual([
    `run ${uuid} step 1 was stored by attempt 1 and ran again as attempt 4`,
  ])
})

test('a stored step that the ledger does not know is found', () => {
  expect(checkStoredStepsStay(honest.slice(0, 2), soundRecords())).toEqual([
    `run ${uuid} step 2 was stored and is not in the ledger`,
  ])
})

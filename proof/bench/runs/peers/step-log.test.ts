import { expect, test } from 'vitest'
import { countSteps, parseStepLog } from './step-log.ts'

test('steps are counted with those that began again', () => {
  const begun = parseStepLog('a 1\nb 1\na 2\nb 2\nb 1\na 2\nb 2\n')

  expect(countSteps(begun)).toEqual({ first: 3, second: 4, firstRepeated: 1, secondRepeated: 2 })
})

test('a line that was cut off by the kill is left out', () => {
  expect(parseStepLog('a 1\nb')).toEqual([{ key: 'a', step: 1 }])
})

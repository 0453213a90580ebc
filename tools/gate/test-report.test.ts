import { expect, test } from 'vitest'
import { errorsOutside, failuresOf, type Report, sum } from './test-report.ts'

const file = (name: string, ...statuses: string[]): Report['testResults'][number] => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, n) => ({ status, fullName: `test ${n}` })),
})

test('passed and failed tests are counted, and the failed ones are named', () => {
  const report = { testResults: [file('a', 'passed', 'failed'), file('b', 'passed'), file('c', 'skipped')] }
  expect(sum(report)).toEqual({ passed: 2, failed: 1 })
  expect(report.testResults.flatMap(failuresOf)).toEqual(['a: test 1'])
})

test('a file that failed before its first test counts as one failure', () => {
  const broken = { name: 'd', status: 'failed', assertionResults: [] }
  expect(sum({ testResults: [broken] })).toEqual({ passed: 0, failed: 1 })
  expect(failuresOf(broken)).toEqual(['d: the file'])
})

test('the words of an error outside of a test are printed', () => {
  const log = ` ✓ a.test.ts
⎯⎯ Unhandled Errors ⎯⎯
⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: lost promise
This error originated in "b" test file. It doesn't mean the error was thrown inside the file itself.
 Test Files  2 passed (2)
     Errors  1 error
`
  expect(errorsOutside(log).join('\n')).toContain('lost promise')
  expect(errorsOutside('error during close Error: the part is still there\n')[0]).toContain('still there')
  expect(errorsOutside(' Test Files  2 passed (2)\n')).toEqual([])
})

import { expect, test } from 'vitest'
import { errorsOutside, failedFiles, failuresOf, merged, type Report, sum } from './test-report.ts'

const file = (name: string, ...statuses: string[]): Report['testResults'][number] => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, n) => ({ status, fullName: `test ${n}` })),
})

test('a file that failed is replaced by its second play, and only that file', () => {
  const first = { testResults: [file('a', 'passed', 'failed'), file('b', 'passed'), file('c', 'failed')] }
  expect(failedFiles(first)).toEqual(['a', 'c'])
  const both = merged(first, { testResults: [file('a', 'passed', 'passed'), file('c', 'failed')] })
  expect(sum(both)).toEqual({ passed: 3, failed: 1 })
  expect(both.testResults.flatMap(failuresOf)).toEqual(['c: test 0'])
})

test('more than ten failed files are not repeated', () => {
  const failed = (count: number) => ({ testResults: Array.from({ length: count }, (_, n) => file(`${n}`, 'failed')) })
  expect(failedFiles(failed(10))).toHaveLength(10)
  expect(failedFiles(failed(11))).toEqual([])
  expect(sum(failed(11))).toEqual({ passed: 0, failed: 11 })
})

test('a file that failed before its first test counts as one failure', () => {
  const broken = { name: 'd', status: 'failed', assertionResults: [] }
  expect(sum({ testResults: [broken] })).toEqual({ passed: 0, failed: 1 })
  expect(failedFiles({ testResults: [broken] })).toEqual(['d'])
})

const lost = (name: string) => `⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: lost promise
This error originated in "${name}" test file. It doesn't mean the error was thrown inside the file itself.
`
const logOf = (errors: string[], count = errors.length) =>
  ` ✓ a.test.ts\n⎯⎯ Unhandled Errors ⎯⎯\n${errors.join('')}\n Test Files  2 passed (2)\n     Errors  ${count} error${count === 1 ? '' : 's'}\n`

test('an error outside of a test has its file played again, and its words are printed', () => {
  const passed = { testResults: [file('a', 'passed'), file('b', 'passed')] }
  const log = logOf([lost('b')])
  expect(failedFiles(passed, log)).toEqual(['b'])
  expect(errorsOutside(log).join('\n')).toContain('lost promise')
  expect(failedFiles(passed, ' Test Files  2 passed (2)\n')).toEqual([])
  expect(errorsOutside(' Test Files  2 passed (2)\n')).toEqual([])
})

test('an error that names no file cannot be played again', () => {
  const failed = { testResults: [file('a', 'failed')] }
  expect(failedFiles(failed, logOf([lost('b')], 2))).toEqual([])
})

test('parts that did not stop are started and stopped again', () => {
  const log = 'error during close Error: the part is still there\n'
  expect(failedFiles({ testResults: [file('a', 'passed')] }, log)).toEqual(['tools/check/test-report.test.ts'])
  expect(errorsOutside(log)[0]).toContain('still there')
})

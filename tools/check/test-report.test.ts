import { expect, test } from 'vitest'
import { failedFiles, failuresOf, merged, type Report, sum } from './test-report.ts'

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

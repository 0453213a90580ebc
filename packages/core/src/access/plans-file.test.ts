import { plans } from '@ars/contract'
import { expect, test } from 'vitest'
import { accessBounds } from './bounds.ts'
import { readPlansFile } from './plans-file.service.ts'
import { parsePlansFile, printPlans } from './plans-file.ts'

test('without a file, and with an empty one, the plans have the numbers of the contract', () => {
  expect(readPlansFile(undefined)).toEqual(plans)
  expect(parsePlansFile('', 'plans.yaml')).toEqual(plans)
})

test('a file changes the limits that it names', () => {
  const { free, business } = parsePlansFile('free:\n  burst: 9\n  calls_per_month: 0\n', 'plans.yaml')
  expect(free).toEqual({ ...plans.free, burst: 9, callsPerMonth: 0 })
  expect(business).toEqual(plans.business)
})

test('printed plans are such a file', () => {
  const changed = parsePlansFile('none: { concurrent_runs: 3 }', 'plans.yaml')
  expect(parsePlansFile(printPlans(changed), 'plans.yaml')).toEqual(changed)
})

test.each([
  ['free: { burst: 0 }', 'plans.yaml, free.burst: must be a whole number from 1 to 10000000'],
  ['free: { burst: many }', 'plans.yaml, free.burst'],
  ['free: { bursts: 4 }', 'bursts'],
  ['gold: { burst: 4 }', 'gold'],
  ['- free', 'plans.yaml'],
  ['free: [', 'plans.yaml'],
])('%s is refused, and the message names the file and the limit', (text, words) => {
  expect(() => parsePlansFile(text, 'plans.yaml')).toThrow(words)
})

test('a file that is missing is named with its setting', () => {
  expect(() => readPlansFile('/nonexistent/plans.yaml')).toThrow(/ARS_PLANS_FILE: .*nonexistent/)
})

test('a file has a bound of bytes', () => {
  expect(accessBounds.plansFile.bytes).toBe(65_536)
})

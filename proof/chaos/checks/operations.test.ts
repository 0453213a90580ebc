import { expect, test } from 'vitest'
import type { JournalLine } from '../journal.ts'
import type { Outage } from '../supervision.ts'
import { checkNotVacuous, operationsOf } from './operations.ts'
import { operation } from './records.fixture.ts'

/** Away from second 100 to 110, and felt for three seconds more. */
const outage: Outage = { part: 'postgres', cause: 'killed', fromMs: 100_000, untilMs: 110_000, failedStarts: 0 }
const calls = (count: number, from: number, status: number) =>
  Array.from({ length: count }, () => operation(from, from + 1, { status }))

test('failures inside an outage and its echo do not count', () => {
  const operations = [...calls(90, 10, 200), ...calls(50, 99, 503), ...calls(50, 112, 0), ...calls(10, 120, 200)]
  expect(checkNotVacuous(operations, [outage])).toEqual({ outside: 100, succeeded: 100, violations: [] })
})

test('nine in ten outside are enough, fewer are not', () => {
  const at = (succeeded: number) => [...calls(succeeded, 10, 200), ...calls(100 - succeeded, 20, 503)]
  expect(checkNotVacuous(at(90), [outage]).violations).toEqual([])
  expect(checkNotVacuous(at(89), [outage]).violations).toEqual(['of 100 calls that met no outage only 89 succeeded'])
})

test('a test in which nearly every call met an outage tells nothing', () => {
  const operations = [...calls(500, 104, 200), ...calls(19, 10, 200)]
  expect(checkNotVacuous(operations, [outage]).violations).toEqual([
    'only 19 calls met no outage; 20 are needed to tell',
  ])
})

test('an outage that has not ended goes on', () => {
  const { outside } = checkNotVacuous(calls(30, 500, 200), [{ ...outage, untilMs: undefined }])
  expect(outside).toBe(0)
})

test('the two lines of a call find each other, and a call without an answer is kept', () => {
  const journal: JournalLine[] = [
    { kind: 'sent', call: 1, at_ms: 1, gateway: 1, org: 'a', what: 'create', key: 'a' },
    { kind: 'sent', call: 2, at_ms: 2, gateway: 2, org: 'a', what: 'read', key: 'b' },
    { kind: 'answered', call: 2, at_ms: 3, status: 200 },
  ]
  expect(operationsOf(journal).map(({ call, answer }) => [call, answer?.status])).toEqual([
    [1, undefined],
    [2, 200],
  ])
})

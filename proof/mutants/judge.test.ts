import { expect, test } from 'vitest'
import type { Mutant } from './draw.ts'
import { failureOf, judge, type Verdict } from './judge.ts'
import { minutesOf, outcomeOfDraw, outcomeOfNamed } from './outcome.ts'

const fault: Mutant = { name: 'A1 a fault', file: 'a.ts', at: 0, from: 'x', to: 'y', tests: ['a.test.ts'] }
const passed = { status: 0, output: '' }
const failed = { status: 1, output: '   × a promise 12ms\n FAIL  |fast| a.test.ts > a promise\nError' }

const judged = async (mutant: Mutant, ofTests: typeof passed, ofGate: typeof passed) => {
  const played: string[] = []
  const verdict = await judge(mutant, {
    tests: async (files) => {
      played.push(...files)
      return ofTests
    },
    gate: async () => {
      played.push('gate')
      return ofGate
    },
  })
  return [verdict.found, verdict.by, played]
}

test('the tests that a fault names are played first, and the gate only if they pass', async () => {
  const by = 'FAIL  |fast| a.test.ts > a promise'
  expect(await judged(fault, failed, failed)).toEqual(['test', by, ['a.test.ts']])
  expect(await judged(fault, passed, failed)).toEqual(['gate', by, ['a.test.ts', 'gate']])
  expect(await judged(fault, passed, passed)).toEqual(['not', '', ['a.test.ts', 'gate']])
  const { tests: _, ...drawn } = fault
  expect(await judged(drawn, failed, failed)).toEqual(['gate', by, ['gate']])
})

test('a play that was stopped at its time limit has found nothing, and one without a failed test is no verdict', () => {
  expect(failureOf({ status: null, output: failed.output })).toBeUndefined()
  expect(failureOf({ status: 1, output: 'Unhandled Errors\n' })).toBe('Unhandled Errors')
  expect(() => failureOf({ status: 1, output: 'the port is in use' })).toThrow('the port is in use')
})

test('of named faults every one must be found by the tests that it names, of drawn ones 17 of 20', () => {
  const withVerdicts = (...found: Verdict['found'][]) =>
    found.map((each, n) => ({
      mutant: { ...fault, name: `fault ${n}` },
      verdict: { found: each, by: '', minutes: 0.25 },
    }))
  const judged = withVerdicts('test', 'gate', 'not')
  const named = outcomeOfNamed(judged)
  expect(minutesOf(judged)).toBe(0.75)
  expect(named.claims.map(({ violations }) => violations)).toEqual([['fault 2'], ['fault 1']])
  expect(named.metrics).toEqual([
    ['faults', 3],
    ['found', 2],
  ])
  const drawn = (survivors: number) =>
    outcomeOfDraw(withVerdicts(...Array(20 - survivors).fill('gate'), ...Array(survivors).fill('not'))).claims[0]
  expect(drawn(3)).toMatchObject({ isMeasured: true, violations: [], value: '17, at least 17' })
  expect(drawn(4)?.violations).toHaveLength(1)
})

import { expect, test } from 'vitest'
import type { WindowResult } from '../../../lab/measure/load.ts'
import { countLogs, cpuPerAnswer, isNothingLost, isQuiet, orderOfRound, ratiosOf, toRound } from './verdict.ts'

const window = (answers: number, gatewayMs: number, foreignShare = 0): WindowResult => ({
  answers,
  seconds: 10,
  latencyMs: { mean: 1, p50: 1, p90: 1, p99: 1, most: 1 },
  answersInAll: answers,
  runIds: [],
  failures: {},
  order: { kind: 'window', side: 'service', callers: 64, leadInMs: 0, lengthMs: 10_000 },
  cpu: {
    parts: { 'gateway 1': gatewayMs, 'gateway 2': gatewayMs, postgres: 1_000, 'refused client': 5_000, generator: 500 },
    foreignShare,
    stealShare: 0,
  },
})

test('a round is measured forwards and backwards, so that a steady drift touches all kinds alike', () => {
  expect(orderOfRound).toEqual(['alone', 'refused', 'limited', 'limited', 'refused', 'alone'])
  const round = toRound([1, 2, 3, 4, 5, 6].map((answers) => window(answers, 1)))
  expect(round.alone.map(({ answers }) => answers)).toEqual([1, 6])
  expect(round.refused.map(({ answers }) => answers)).toEqual([2, 5])
  expect(round.limited.map(({ answers }) => answers)).toEqual([3, 4])
  expect(() => toRound([window(1, 1)])).toThrow('two windows of each kind')
})

test('the ratio of CPU time counts what servers do for refused requests and leaves out the clients', () => {
  const plain = window(1_000, 500)
  const beside = window(900, 600)
  const round = { alone: [plain, plain], refused: [beside, beside], limited: [plain, plain] } as const
  const { throughput, perCpu } = ratiosOf([round], 'refused')
  expect(throughput.median).toBeCloseTo(0.9, 6)
  expect(perCpu.median).toBeCloseTo(900 / 2_200 / (1_000 / 2_000), 6)
  expect(ratiosOf([round], 'limited').perCpu.median).toBe(1)
})

test('both gateways count together in the CPU time of an answer', () => {
  expect(cpuPerAnswer([window(1_000, 500)])).toMatchObject({ gateways: 1, postgres: 1, 'refused client': 5 })
})

test('one stretch beside other programs makes the throughput a hint', () => {
  const [quiet, busy] = [window(1, 1), window(1, 1, 0.3)]
  const round = { alone: [quiet, quiet], refused: [quiet, quiet], limited: [quiet, quiet] } as const
  expect(isQuiet([round])).toBe(true)
  expect(isQuiet([round, { ...round, limited: [quiet, busy] }])).toBe(false)
})

test('deadlocks are found in any log, and warnings are counted by their message', () => {
  const lines = [
    '{"level":"info","msg":"started"}',
    '{"level":"warn","time":"now","msg":"slow"}',
    '{"level":"error","code":"40P01","msg":"slow"}',
    'ERROR:  deadlock detected',
  ]
  expect(countLogs([lines.join('\n')])).toEqual({ deadlocks: 2, warnings: { slow: 2 } })
})

test('a run that no answer names is a loss only if every call got the answer of its run', () => {
  const facts = {
    answered: 10,
    runs: 10,
    completedInDatabase: 10,
    results: 10,
    endedTwice: 0,
    stillActive: 0,
    failures: { warmUp: {}, measured: {} },
    isRight: true,
  }
  expect(isNothingLost(facts)).toBe(true)
  expect(isNothingLost({ ...facts, results: 11 })).toBe(false)
  expect(isNothingLost({ ...facts, results: 11, failures: { warmUp: {}, measured: { 'service 503': 1 } } })).toBe(true)
  for (const wrong of [
    { runs: 9 },
    { completedInDatabase: 9 },
    { endedTwice: 1 },
    { stillActive: 1 },
    { answered: 0 },
  ]) {
    expect(isNothingLost({ ...facts, ...wrong })).toBe(false)
  }
})

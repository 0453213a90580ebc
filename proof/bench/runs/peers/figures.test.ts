import { expect, test } from 'vitest'
import type { Side, WindowResult } from '../../../lab/measure/load.ts'
import { controlSpread, cpuMsPerRun, cpuRatio, figuresOf, type PeerRound, throughputRatio } from './figures.ts'

type Facts = { answers: number; oursMs?: number; peerMs?: number; failures?: Record<string, number> }

const windowOf = (side: Side, { answers, oursMs = 0, peerMs = 0, failures = {} }: Facts): WindowResult => ({
  order: { kind: 'window', side, callers: 4, leadInMs: 0, lengthMs: 1000 },
  answers,
  seconds: 1,
  latencyMs: { mean: 1, p50: 1, p90: 1, p99: 1, most: 1 },
  answersInAll: answers,
  runIds: [],
  failures,
  cpu: {
    parts: { 'ours: worker': oursMs, 'ours: postgres': oursMs, 'peer: engine': peerMs, caller: 1000 },
    foreignShare: 0.2,
    stealShare: 0,
  },
})

const roundOf = (ours: Facts, peer: Facts): PeerRound => [
  windowOf('service', ours),
  windowOf('control', peer),
  windowOf('control', peer),
  windowOf('service', ours),
]

test('CPU time per run is that of the side under load, without its callers', () => {
  expect(cpuMsPerRun(windowOf('service', { answers: 10, oursMs: 50, peerMs: 7 }))).toBe(10)
  expect(cpuMsPerRun(windowOf('control', { answers: 10, oursMs: 50, peerMs: 70 }))).toBe(7)
})

test('a ratio is that of the medians, with the least and the greatest round', () => {
  const rounds = [
    roundOf({ answers: 100, oursMs: 50 }, { answers: 10, peerMs: 100 }),
    roundOf({ answers: 120, oursMs: 60 }, { answers: 10, peerMs: 100 }),
    roundOf({ answers: 300, oursMs: 150 }, { answers: 10, peerMs: 100 }),
  ]

  expect(throughputRatio(rounds)).toEqual({ ofMedians: 12, from: 10, to: 30 })
  expect(cpuRatio(rounds)).toEqual({ ofMedians: 10, from: 10, to: 10 })
  expect(controlSpread(rounds, ({ answers }) => answers)).toEqual({ from: 1, to: 1 })
})

test('a window without an answer counts as no run and has no CPU time per run', () => {
  const rounds = [roundOf({ answers: 5, oursMs: 5 }, { answers: 0, peerMs: 5, failures: { 500: 3 } })]

  const { ours, peer } = figuresOf(rounds)

  expect(ours).toMatchObject({ perSecond: 5, runs: 10, failures: 0 })
  expect(peer).toMatchObject({ perSecond: 0, cpuMsPerRun: Number.NaN, runs: 0, failures: 6 })
})

import { describe, expect, test } from 'vitest'
import type { WindowResult } from '../../lab/measure/load.ts'
import { type CompareRound, judgeRounds } from './compare-rounds.ts'

const window = (name: 'old' | 'new', cpuMs: number, answers = 1): WindowResult => ({
  answers,
  seconds: 1,
  latencyMs: { mean: 1, p50: 1, p90: 1, p99: 1, most: 1 },
  answersInAll: answers,
  runIds: [],
  failures: {},
  order: { kind: 'window', side: name === 'old' ? 'control' : 'service', callers: 1, leadInMs: 0, lengthMs: 1000 },
  cpu: {
    parts: Object.fromEntries(
      ['old', 'new'].flatMap((each) =>
        // The idle worktree also works a little; its time must not count.
        ['gateway', 'worker', 'postgres', 'redis', 'restate'].map((part) => [
          `${each} ${part}`,
          each === name ? cpuMs / 5 : 99,
        ]),
      ),
    ),
    foreignShare: 0,
    stealShare: 0,
  },
})

const round = (old: number, fresh: number, slower = 0): CompareRound => [
  window('old', old),
  window('new', fresh + slower),
  window('new', fresh + 2 * slower),
  window('old', old + 3 * slower),
]
const rounds = (old: number, fresh: number) =>
  Array.from({ length: 8 }, () => [round(old, fresh), round(old, fresh)] as const)

describe('the rule for ratios', () => {
  test('equal cost is ratio 1, against the other and against itself', () => {
    const { ratio, selfRatio, ratios, self, isNotSlower } = judgeRounds(rounds(5, 5))
    expect([ratio.median, selfRatio.median, ratios.length, self.length]).toEqual([1, 1, 16, 16])
    expect(isNotSlower).toBe(true)
  })

  test('a new worktree that costs a twentieth more is slower, one that costs less is not', () => {
    expect(judgeRounds(rounds(100, 105))).toMatchObject({ isNotSlower: false, ratio: { median: 100 / 105 } })
    expect(judgeRounds(rounds(105, 100))).toMatchObject({ isNotSlower: true })
  })

  test('a few rounds above the limit do not decide: the whole interval must lie below', () => {
    const mixed = rounds(100, 104)
    expect(judgeRounds([...mixed.slice(0, 5), ...rounds(100, 100).slice(0, 3)])).toMatchObject({ isNotSlower: true })
    expect(judgeRounds([...mixed.slice(0, 7), ...rounds(100, 100).slice(0, 1)])).toMatchObject({ isNotSlower: false })
  })

  test('a machine that grows steadily slower touches both alike', () => {
    expect(judgeRounds([[round(100, 100, 5), round(115, 115, 5)]]).ratios).toEqual([1, 1])
  })

  test('a round with a window without an answer does not count', () => {
    const [first, ...others] = rounds(100, 105)
    const silent = [window('old', 100, 0), window('new', 1), window('new', 1), window('old', 100)] as const
    expect(judgeRounds([[silent, first?.[1] ?? round(100, 105)], ...others]).ratio.median).toBeCloseTo(100 / 105)
  })
})

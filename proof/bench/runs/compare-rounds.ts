import type { WindowResult } from '../../lab/measure/load.ts'
import { type Interval, median, medianInterval } from '../../lab/measure/statistics.ts'

/** Old, new, new, old: a steady drift of the machine touches both alike. */
export type CompareRound = readonly [WindowResult, WindowResult, WindowResult, WindowResult]

/** Two rounds in a row. Their outer and inner windows of one worktree are in the same order: a control against itself. */
export type DoubleRound = readonly [CompareRound, CompareRound]

export type Verdict = {
  /** CPU time per run of the old worktree over that of the new one, a value for each round. Below 1 means slower. */
  ratios: number[]
  ratio: Middle
  /** Each worktree against itself, two values for each pair of rounds. */
  self: number[]
  selfRatio: Middle
  isNotSlower: boolean
}

type Middle = { median: number; interval: Interval }

/** The rule for ratios: the interval of the median does not lie below this. */
export const slowestRatio = 0.97

export const comparedParts = ['gateway', 'worker', 'postgres', 'redis', 'restate'] as const

export const judgeRounds = (rounds: readonly DoubleRound[]): Verdict => {
  const ratios = rounds.flat().map(([a, b, c, d]) => ratioOf([a, d], [b, c]))
  const self = rounds.flatMap(([first, second]) => [
    ratioOf([first[0], second[3]], [first[3], second[0]]),
    ratioOf([first[1], second[2]], [first[2], second[1]]),
  ])
  const ratio = middleOf(ratios)
  return { ratios, ratio, self, selfRatio: middleOf(self), isNotSlower: ratio.interval.to >= slowestRatio }
}

/** CPU time in milliseconds per answered run, of the side that was under load in this window. */
export const cpuPerRun = (window: WindowResult, part?: (typeof comparedParts)[number]): number => {
  const name = window.order.side === 'control' ? 'old' : 'new'
  const counted: readonly string[] = part ? [part] : comparedParts
  const ms = counted.reduce((sum, one) => sum + (window.cpu.parts[`${name} ${one}`] ?? Number.NaN), 0)
  return ms / window.answers
}

type Pair = readonly [WindowResult, WindowResult]

const ratioOf = (upper: Pair, lower: Pair): number => sumOf(upper) / sumOf(lower)

const sumOf = ([one, other]: Pair): number => cpuPerRun(one) + cpuPerRun(other)

/** A window without an answer has no CPU time per run; its round does not count. */
const middleOf = (values: readonly number[]): Middle => {
  const counted = values.filter(Number.isFinite)
  return { median: median(counted), interval: medianInterval(counted) }
}

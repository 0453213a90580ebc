import type { WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { median } from '../../../lab/measure/statistics.ts'

/** Ours, peer, peer, ours: a steady drift of the machine touches both alike. */
export type PeerRound = readonly [WindowResult, WindowResult, WindowResult, WindowResult]

export type SideFigures = {
  perSecond: number
  cpuMsPerRun: number
  p50Ms: number
  p99Ms: number
  /** Runs that ended within the windows. */
  runs: number
  /** Answers that were not a completed run, and calls without an answer. */
  failures: number
}

/** Of the two sides over all rounds: medians of the windows. */
export const figuresOf = (rounds: readonly PeerRound[]): { ours: SideFigures; peer: SideFigures } => ({
  ours: sideFigures(rounds.flatMap(([first, , , last]) => [first, last])),
  peer: sideFigures(rounds.flatMap(([, second, third]) => [second, third])),
})

const sideFigures = (windows: readonly WindowResult[]): SideFigures => ({
  perSecond: median(windows.map(perSecond)),
  cpuMsPerRun: median(windows.map(cpuMsPerRun).filter(Number.isFinite)),
  p50Ms: median(windows.map(({ latencyMs }) => latencyMs.p50).filter(Number.isFinite)),
  p99Ms: median(windows.map(({ latencyMs }) => latencyMs.p99).filter(Number.isFinite)),
  runs: windows.reduce((sum, { answers }) => sum + answers, 0),
  failures: windows.reduce((sum, { failures }) => sum + Object.values(failures).reduce((all, one) => all + one, 0), 0),
})

/** CPU time of the side that was under load: of its processes with their database, without the callers. */
export const cpuMsPerRun = (window: WindowResult): number => {
  const prefix = window.order.side === 'service' ? oursPrefix : peerPrefix
  const parts = Object.entries(window.cpu.parts).filter(([name]) => name.startsWith(prefix))
  return parts.reduce((sum, [, ms]) => sum + ms, 0) / window.answers
}

/** Names of parts begin with these, so that one reading holds both sides. */
export const oursPrefix = 'ours: '
export const peerPrefix = 'peer: '

export type Ratio = {
  /** Of the medians. Above 1 means that ours is better. */
  ofMedians: number
  /** The least and the greatest of the rounds. */
  from: number
  to: number
}

/** Runs per second of ours over those of the peer. */
export const throughputRatio = (rounds: readonly PeerRound[]): Ratio =>
  ratioOf(rounds, perSecond, (ours, peer) => ours / peer)

/** CPU time per run of the peer over that of ours. */
export const cpuRatio = (rounds: readonly PeerRound[]): Ratio =>
  ratioOf(rounds, cpuMsPerRun, (ours, peer) => peer / ours)

/** Median latency of the peer over that of ours. */
export const latencyRatio = (rounds: readonly PeerRound[]): Ratio =>
  ratioOf(
    rounds,
    ({ latencyMs }) => latencyMs.p50,
    (ours, peer) => peer / ours,
  )

const ratioOf = (
  rounds: readonly PeerRound[],
  value: (window: WindowResult) => number,
  quotient: (ours: number, peer: number) => number,
): Ratio => {
  const middle = (windows: readonly WindowResult[]): number => median(windows.map(value).filter(Number.isFinite))
  const each = rounds
    .map(([first, second, third, last]) => quotient(middle([first, last]), middle([second, third])))
    .filter(Number.isFinite)
  const ours = middle(rounds.flatMap(([first, , , last]) => [first, last]))
  const peer = middle(rounds.flatMap(([, second, third]) => [second, third]))
  return { ofMedians: quotient(ours, peer), from: Math.min(...each), to: Math.max(...each) }
}

/** Ours against itself: the first window of each round over its last one. What other load does to a ratio. */
export const controlSpread = (
  rounds: readonly PeerRound[],
  value: (window: WindowResult) => number,
): { from: number; to: number } => {
  const ratios = rounds.map(([first, , , last]) => value(first) / value(last)).filter(Number.isFinite)
  return { from: Math.min(...ratios), to: Math.max(...ratios) }
}

/** The share of the computer that other programs used: the median and the worst of the windows. */
export const foreignShares = (rounds: readonly PeerRound[]): { median: number; worst: number } => {
  const shares = rounds.flat().map(({ cpu }) => cpu.foreignShare)
  return { median: median(shares), worst: Math.max(...shares) }
}

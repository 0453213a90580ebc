import { cpus } from 'node:os'
import type { WindowResult } from '../../lab/measure/load.ts'
import { perSecond } from '../../lab/measure/rounds.ts'
import { median } from '../../lab/measure/statistics.ts'
import { table } from '../../lab/report/table.ts'
import { comparedParts, cpuPerRun, type DoubleRound, slowestRatio, type Verdict } from './compare-rounds.ts'
import type { Correctness } from './correctness.ts'
import type { RunsOptions } from './options.ts'

type CompareMetrics = {
  options: RunsOptions
  startedAt: Date
  versions: { old: string; new: string }
  verdict: Verdict
  correctness: { old: Correctness; new: Correctness }
  rounds: readonly DoubleRound[]
}

export const compareReport = (metrics: CompareMetrics): string => {
  const { options, startedAt, versions, verdict, correctness, rounds } = metrics
  const { ratio, selfRatio, ratios, self } = verdict
  const areRight = correctness.old.isRight && correctness.new.isRight
  return `# Bench: CPU time per run, old and new worktree

Made by \`pnpm bench runs --against <old worktree>${argumentsOf(options)}\` on ${startedAt.toISOString().slice(0, 16)} UTC, ${cpus().length} cores. Old ${versions.old}, new ${versions.new}.
${ratios.length} rounds of old, new, new, old, ${options.size.windowMs / 1000} s windows, ${options.callers[0]} callers. Each worktree has its own Postgres, Redis and Restate.
The time is that of gateway, worker, Postgres, Redis and Restate together.${burdenOf(options)}

**${verdictInWords(verdict)}**: old over new, median ${ratio.median.toFixed(3)}, ${inWords(ratio.interval)}. Below 1 means slower. The rule: the interval must not lie below ${slowestRatio}.
Control, each worktree against itself in the same minutes: median ${selfRatio.median.toFixed(3)}, ${inWords(selfRatio.interval)}, ${self.length} values.
Correctness: ${areRight ? 'every answered run is completed in its database, once' : '**WRONG, the figures count for nothing**'}.

## CPU in ms per run (medians of the windows)

${table(['worktree', ...comparedParts, 'sum', 'runs per second'], [costRow('old', 'control', rounds), costRow('new', 'service', rounds)])}

## Correctness

${table(
  ['worktree', 'answers', 'runs', 'completed in the database', 'ended twice', 'still active', 'other answers'],
  [correctnessRow('old', correctness.old), correctnessRow('new', correctness.new)],
)}

## All rounds

CPU in ms per run of the four windows in their order.

${table(['round', 'old', 'new', 'new', 'old', 'ratio', 'foreign CPU, worst window', 'steal, worst window'], roundRows(rounds, ratios))}

Control values: ${self.map((value) => value.toFixed(3)).join(', ')}.
`
}

const argumentsOf = ({ traces, hasRules, organisations }: RunsOptions): string =>
  `${traces === undefined ? '' : ` --traces ${traces}`}${hasRules ? ' --rules' : ''}${organisations === 1 ? '' : ` --organisations ${organisations}`}`

/** The work that only the new side has, and its bar. */
const burdenOf = ({ traces, hasRules }: RunsOptions): string => {
  const shares =
    traces === undefined
      ? ''
      : ` The new side sends traces of ${Number(traces) * 100} % of its runs to a collector; the bar for that is a ratio of 0.93, not the rule below.`
  const rules = hasRules
    ? ' A policy with five deterministic rules judges the runs of the new side; the bar for that is a ratio of 0.9, not the rule below.'
    : ''
  return `${shares}${rules}`
}

const verdictInWords = ({ ratio, isNotSlower }: Verdict): string => {
  if (ratio.interval.confidence < 0.95) return 'Too few rounds for a verdict'
  return isNotSlower ? 'Not slower' : 'SLOWER'
}

const inWords = ({ from, to, confidence }: Verdict['ratio']['interval']): string =>
  `${(confidence * 100).toFixed(1)} % interval ${from.toFixed(3)} to ${to.toFixed(3)}`

const costRow = (name: string, side: WindowResult['order']['side'], rounds: readonly DoubleRound[]): string[] => {
  const windows = rounds.flat(2).filter(({ order }) => order.side === side)
  const middle = (value: (window: WindowResult) => number): number => median(windows.map(value))
  return [
    name,
    ...comparedParts.map((part) => middle((window) => cpuPerRun(window, part)).toFixed(2)),
    middle((window) => cpuPerRun(window)).toFixed(2),
    middle(perSecond).toFixed(0),
  ]
}

const correctnessRow = (name: string, facts: Correctness): string[] => [
  name,
  String(facts.answered),
  String(facts.runs),
  String(facts.completedInDatabase),
  String(facts.endedTwice),
  String(facts.stillActive),
  JSON.stringify(facts.failures.measured),
]

const roundRows = (rounds: readonly DoubleRound[], ratios: readonly number[]): string[][] =>
  rounds
    .flat()
    .map((windows, index) => [
      String(index + 1),
      ...windows.map((window) => cpuPerRun(window).toFixed(2)),
      (ratios[index] ?? Number.NaN).toFixed(3),
      `${(Math.max(...windows.map(({ cpu }) => cpu.foreignShare)) * 100).toFixed(1)} %`,
      `${(Math.max(...windows.map(({ cpu }) => cpu.stealShare)) * 100).toFixed(1)} %`,
    ])

import { cpus } from 'node:os'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { maxForeignShare } from '../../../lab/measure/statistics.ts'
import { measured, type Outcome } from '../../../lab/report/outcome.ts'
import { table } from '../../../lab/report/table.ts'
import { correctnessClaims } from '../correctness.ts'
import { type Held, maxDifference } from './held.ts'
import type { CapacityMetrics, Stretch } from './measure.ts'

export const isEverythingHeld = ({ stretches }: CapacityMetrics): boolean =>
  stretches.every(({ held }) => held.every(({ isHeld, isJudged }) => isHeld || !isJudged))

export const outcomeOf = ({ stretches, correctness: facts }: CapacityMetrics): Outcome => ({
  claims: [
    ...correctnessClaims(facts),
    ...stretches.flatMap(({ name, held }) =>
      held
        .filter(({ isJudged }) => isJudged)
        .map(({ quantity, unit, predicted, measured: found, isHeld }) =>
          measured(
            `${name}: ${quantity} as predicted`,
            isHeld,
            `${figure(found)} ${unit}, predicted ${figure(predicted)}`,
          ),
        ),
    ),
  ],
  metrics: [],
})

export const reportOf = (metrics: CapacityMetrics): string =>
  `${[heading(metrics), ...metrics.stretches.map(stretchInWords), correctness(metrics)].join('\n\n')}\n`

const heading = (metrics: CapacityMetrics): string => {
  const { options, startedAt, loadAverage, stretches } = metrics
  const all = stretches.flatMap(({ held }) => held).filter(({ isJudged }) => isJudged)
  const within = all.filter(({ isHeld }) => isHeld).length
  return `# Bench: the capacity model against real runs

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything and the clients on one machine, load average at the end ${loadAverage.toFixed(1)}. Made by \`${options.command}\`.

One gateway, one worker, Postgres, Redis and the engine carry four loads for ${options.seconds} s each. Calls arrive at a steady rate and do not wait for each other. For each load \`proof/bench/runs/capacity/capacity.ts\` predicts what it needs, and the table has the prediction beside the measurement: CPU time from \`/proc\`, WAL from the counters of Postgres and of the engine, stored bytes from the growth of the database (indexes, idempotency keys and the free space of pages included), connections as the most that were open at once.
A prediction holds if it differs from the measurement by at most ${100 * maxDifference} %; connections are a bound. A part that uses less than 5 % of the CPU time of its load is shown and not judged.

**${within} of ${all.length} predictions hold.**${quietness(stretches)}`
}

const quietness = (stretches: readonly Stretch[]): string => {
  const foreign = Math.max(...stretches.map(({ window }) => window.cpu.foreignShare))
  if (foreign <= maxForeignShare) return ''
  return ` Other programs used up to ${(100 * foreign).toFixed(0)} % of the machine. Calls that wait for a core share more commits, so less CPU time per run than on a quiet machine is to be expected.`
}

const stretchInWords = ({ name, demand, used, held, window }: Stretch): string => {
  const rows = held.map((row) => [
    row.quantity,
    row.unit,
    figure(row.predicted),
    figure(row.measured),
    (row.predicted / row.measured).toFixed(2),
    verdictOf(row),
  ])
  const streams = demand.streamShare > 0 ? `, ${demand.eventsPerStream.toFixed(1)} events per stream` : ''
  const { p50, p99 } = window.latencyMs
  return `## ${sentence(name)}: ${perSecond(window).toFixed(1)} per second

${used.runs} runs in ${used.seconds.toFixed(0)} s, payload ${demand.bytesPerRun.toFixed(0)} bytes${streams}, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, foreign CPU ${(100 * window.cpu.foreignShare).toFixed(1)} %.

${table(['quantity', 'unit', 'predicted', 'measured', 'predicted ÷ measured', 'within 25 %'], rows)}`
}

const verdictOf = ({ isHeld, isJudged }: Held): string => {
  if (!isJudged) return 'not judged'
  return isHeld ? 'yes' : '**no**'
}

const correctness = ({ correctness: facts }: CapacityMetrics): string =>
  `## Correctness in the same run: ${facts.isRight ? 'right' : '**WRONG, the measurements above are void**'}

${facts.answered} answers, ${facts.runs} different runs, ${facts.completedInDatabase} of them completed in the database, ${facts.endedTwice} ended twice, ${facts.stillActive} still active, other answers ${JSON.stringify(facts.failures.measured)}.`

const figure = (value: number): string => (value < 100 ? value.toFixed(2) : value.toFixed(0))

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

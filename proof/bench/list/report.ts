import { cpus } from 'node:os'
import type { Durability } from '../../lab/measure/durability.ts'
import type { WindowResult } from '../../lab/measure/load.ts'
import type { Comparison } from '../../lab/measure/rounds.ts'
import { isSelfComparisonFair, median, spreadOf } from '../../lab/measure/statistics.ts'
import { bar, claim, type Outcome } from '../../lab/report/outcome.ts'
import { table } from '../../lab/report/table.ts'
import type { ListOptions } from './options.ts'
import { postgresSettings } from './subject.ts'

export type ListComparison = {
  where: string
  what: string
  against: string
  /** How many times the control it may take; without it, it is only told. */
  most?: number
  comparison: Comparison
}

/** All that the report tells. */
export type ListMetrics = {
  options: ListOptions
  startedAt: Date
  durability: Durability
  itself: Record<'database' | 'https', Comparison>
  comparisons: ListComparison[]
  walked: number
  sizeBytes: number
}

export const listReport = (metrics: ListMetrics): string =>
  `${[heading(metrics), verdict(metrics), latency(metrics), correctness(metrics), settings(metrics), allRounds(metrics)].join('\n\n')}\n`

/** A wrong page ends the bench. */
export const outcomeOf = ({ comparisons, walked }: ListMetrics): Outcome => ({
  claims: [
    claim('999 pages hold each run once, newest first', walked > 0, `${walked} runs`),
    ...comparisons.flatMap(({ where, what, against, most, comparison }) =>
      most === undefined ? [] : [bar(`${where}: ${what} over ${against}`, timesOf(comparison).median, { most })],
    ),
  ],
  metrics: comparisons.map(({ where, what, against, comparison }) => [
    `${where}: CPU of ${what} over ${against}`,
    cpuTimes(comparison).toFixed(2),
  ]),
})

const heading = ({ startedAt, options, sizeBytes }: ListMetrics): string => {
  const { rounds, windowMs, leadInMs } = options.size
  return `# Bench: GET /runs on ${options.rows.toLocaleString('en')} runs

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything on one machine. Made by \`${options.command}\`.

${options.rows.toLocaleString('en')} runs over ${options.days} days, three of five in the organisation that is asked for, the rest in a hundred others; ${(sizeBytes / 1e9).toFixed(1)} GB in Postgres, ${options.days + 14} day partitions of each table. A page is 20 runs, whole objects. One caller, one connection, each call awaited before the next.
**In the database**: the service's own statements over the same kind of pool, role \`ars_app\`, row-level security on. **Over HTTPS**: through the gateway with an API key, TLS, HTTP/1.1 kept alive. **One row by primary key** is \`select … from runs where org_id and id limit 1\`; **one run by its id** is what \`GET /runs/{id}\` reads: the row, its head, its result and its open actions.
A round is control, subject, subject, control, ${windowMs / 1000} s each after ${leadInMs / 1000} s that do not count; its figure is the subject's time over the control's. ${rounds} rounds must count; a round is rejected when others use more than 10 % of the machine in one of its windows or when its two control windows differ by more than 20 %.`
}

const verdict = ({ comparisons, itself }: ListMetrics): string => {
  const rows = comparisons.map(({ where, what, against, most, comparison }) => {
    const times = timesOf(comparison)
    return [
      where,
      what,
      against,
      `**${times.median.toFixed(2)}×**`,
      `${times.from.toFixed(2)}–${times.to.toFixed(2)}`,
      `${cpuTimes(comparison).toFixed(2)}×`,
      most === undefined ? '' : `≤ ${most}×`,
      verdictOf(times.median, most),
      counted(comparison),
    ]
  })
  const self = (name: string, comparison: Comparison): string =>
    `${name} ${comparison.ratio.median.toFixed(3)}${isSelfComparisonFair(comparison.ratio.median) ? '' : ' (unfair)'}${comparison.isSound ? '' : ' (too few rounds counted: a hint)'}`
  return `## How much longer it takes

${table(['where', 'what', 'against', 'time', 'IQR', 'CPU', 'aim', 'verdict', 'rounds'], rows)}

CPU is that of gateway and Postgres per call, over the control's. The control against itself: ${self('in the database', itself.database)}, ${self('over HTTPS', itself.https)}. Where too few rounds counted, all were taken, and the figure is a hint.`
}

const verdictOf = (times: number, most: number | undefined): string => {
  if (most === undefined) return ''
  return times <= most ? 'reached' : 'missed'
}

const latency = ({ comparisons }: ListMetrics): string => {
  const rows = comparisons.flatMap(({ where, what, against, comparison }) => [
    latencyRow(
      where,
      against,
      comparison.accepted.flatMap(({ control }) => control),
    ),
    latencyRow(
      where,
      what,
      comparison.accepted.flatMap(({ subject }) => subject),
    ),
  ])
  return `## Latency in ms and CPU in ms per call (medians of the windows)

${table(['where', 'what', 'mean', 'p50', 'p90', 'p99', 'postgres', 'gateway'], rows)}`
}

const latencyRow = (where: string, what: string, windows: readonly WindowResult[]): string[] => {
  const at = (which: 'mean' | 'p50' | 'p90' | 'p99'): string =>
    median(windows.map(({ latencyMs }) => latencyMs[which])).toFixed(2)
  const cpu = (part: string): string => median(windows.map((window) => cpuOf(window, [part]))).toFixed(2)
  return [where, what, at('mean'), at('p50'), at('p90'), at('p99'), cpu('postgres'), cpu('gateway')]
}

const correctness = ({ walked }: ListMetrics): string => `## Correctness in the same run

999 pages were walked over HTTPS before the measurement: ${walked.toLocaleString('en')} runs, each once, newest first. Every measured answer held as many runs as it must; one that did not would have ended the bench.`

const settings = ({ durability }: ListMetrics): string => {
  const postgres = Object.entries({ ...durability.postgres, ...postgresSettings })
  return `## Settings

- Postgres: ${postgres.map(([name, value]) => `\`${name} = ${value}\``).join(', ')}.
- Data on ${durability.fileSystem}; one 4 KB write with fsync takes ${durability.fsyncMs.toFixed(2)} ms (median of 100).
- Log level \`warn\`, NODE_ENV \`production\`, all else as \`pnpm dev\` sets it. The runs were read from memory: the tables fit into it.`
}

const allRounds = ({ comparisons }: ListMetrics): string => {
  const rows = comparisons.flatMap(({ where, what, against, comparison }) =>
    comparison.rounds.map((round, at) => [
      where,
      `${what} / ${against}`,
      String(at + 1),
      (1 / round.ratio).toFixed(2),
      `${(100 * Math.max(...[...round.control, ...round.subject].map(({ cpu }) => cpu.foreignShare))).toFixed(0)} %`,
      round.rejection ?? 'counts',
    ]),
  )
  return `## All rounds

${table(['where', 'what', 'round', 'times', 'others on the machine', ''], rows)}`
}

const timesOf = ({ accepted }: Comparison) => spreadOf(accepted.map(({ ratio }) => 1 / ratio))

const cpuOf = ({ cpu, answers }: WindowResult, parts: readonly string[]): number =>
  parts.reduce((sum, part) => sum + (cpu.parts[part] ?? 0), 0) / answers

const cpuTimes = ({ accepted }: Comparison): number => {
  const cost = (windows: readonly WindowResult[]): number =>
    windows.reduce((sum, window) => sum + cpuOf(window, ['gateway', 'postgres']), 0)
  return median(accepted.map(({ control, subject }) => cost(subject) / cost(control)))
}

const counted = ({ rounds, accepted, isSound }: Comparison): string =>
  isSound
    ? `${accepted.length} of ${rounds.length}`
    : `${rounds.filter(({ rejection }) => !rejection).length} of ${rounds.length}: a hint`

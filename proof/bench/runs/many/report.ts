import { cpus } from 'node:os'
import type { WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { median, spreadOf } from '../../../lab/measure/statistics.ts'
import { table } from '../../../lab/report/table.ts'
import { type Correctness, correctnessRows } from '../correctness.ts'
import type { ManyOptions } from './options.ts'
import {
  cpuPerAnswer,
  isNothingLost,
  isQuiet,
  type Kind,
  kinds,
  type LogCounts,
  type ManyRound,
  otherAnswers,
  othersAim,
  ratiosOf,
  serverMs,
} from './verdict.ts'

export type ManyMetrics = {
  options: ManyOptions
  startedAt: Date
  loadAverage: number
  /** Windows of all organisations together, without refused ones. */
  steady: readonly WindowResult[]
  /** The requests of a refused organisation, without any other load. */
  cost: Readonly<Record<Exclude<Kind, 'alone'>, WindowResult>>
  rounds: readonly ManyRound[]
  /** The refusals beside the others. */
  refusals: Record<Exclude<Kind, 'alone'>, WindowResult[]>
  deadlocks: number
  logs: LogCounts
  correctness: Correctness
}

export const reportOf = (metrics: ManyMetrics): string =>
  `${[heading(metrics), steadily(metrics), others(metrics), costs(metrics), correctness(metrics), all(metrics)].join('\n\n')}\n`

const heading = ({ options, startedAt, loadAverage }: ManyMetrics): string => `# Bench: many organisations

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything and the clients on one machine, load average at the end ${loadAverage.toFixed(1)}. Made by \`${options.command}\`.

Two gateways, two workers, one Postgres, Redis and engine. ${options.organisations.toLocaleString('en')} organisations send synchronous runs of \`test-echo\` in turn, ${options.callers} callers, TLS, a new \`Idempotency-Key\` with each call. Rows of several organisations share statements and commits ([decision](../adr/0021-batches-hold-rows-of-several-organisations.md)).`

const steadily = ({ options, steady, deadlocks, logs, correctness: facts }: ManyMetrics): string => {
  const { median: rate, from, to } = spreadOf(steady.map(perSecond))
  const minutes = steady.reduce((sum, { seconds }) => sum + seconds, 0) / 60
  return `## All organisations together, ${minutes.toFixed(1)} minutes

${table(
  ['question', 'figure', 'aim'],
  [
    [
      'runs per second, median and quartiles of the windows',
      `${rate.toFixed(0)} (${from.toFixed(0)}–${to.toFixed(0)})`,
      '',
    ],
    ['latency p50 and p99 in ms, medians', latencies(steady), ''],
    ['deadlocks in `pg_stat_database`, whole bench', String(deadlocks), '0'],
    ['deadlocks in the logs, whole bench', String(logs.deadlocks), '0'],
    ['answers other than a completed run, whole bench', String(otherAnswers(facts)), '0'],
    [
      'answered runs that the database does not have as completed',
      String(facts.answered - facts.completedInDatabase),
      '0',
    ],
    ['runs that two answers name', String(facts.answered - facts.runs), '0'],
    ['runs that no answer names', String(facts.results - facts.answered), '0'],
    ['CPU in ms per run', inParts(cpuPerAnswer(steady)), ''],
    [
      'messages of level `warn` and `error`',
      Object.keys(logs.warnings).length === 0 ? 'none' : JSON.stringify(logs.warnings),
      '',
    ],
  ],
)}

The bench has ${options.callers} callers, so a deadlock between the gateways would show within seconds: every batch of one shares organisations with batches of the other.`
}

const others = ({ options, rounds, refusals }: ManyMetrics): string => {
  const rows = (['refused', 'limited'] as const).map((kind) => {
    const { throughput, perCpu } = ratiosOf(rounds, kind)
    return [
      kind === 'refused' ? 'without calls of the month' : 'over its rate limit',
      median(refusals[kind].map(perSecond)).toFixed(0),
      `**${throughput.median.toFixed(3)}** (${throughput.from.toFixed(3)}–${throughput.to.toFixed(3)})`,
      `**${perCpu.median.toFixed(3)}** (${perCpu.from.toFixed(3)}–${perCpu.to.toFixed(3)})`,
      kind === 'refused' ? reached(perCpu.median) : '',
    ]
  })
  const doubt = isQuiet(rounds)
    ? ''
    : '\n\nOther programs used more than 10 % of the machine in some stretches: the first ratio is only a hint, the second one holds.'
  return `## One organisation out of quota beside the others, aim: ratio ≥ ${othersAim}

One more organisation has used its calls of the month and sends ${options.refusedPerSecond} requests per second, the full rate of the largest plan. Every one is refused with 429 \`quota_exceeded\`. For comparison, another one sends as much and is refused by its rate limit.
A round is alone, refused, limited, limited, refused, alone, ${options.size.windowMs / 1000} s each after ${options.size.leadInMs / 1000} s that do not count. The client of the refused organisation is a process on the same machine. The machine is busy throughout, so the CPU time that this client needs is missing to the others, and the first ratio counts that against the service. The second ratio does not: it is runs of the others per second of CPU time of all servers, which includes all that the servers do for the refused requests.

${table(['the organisation is', 'refused/s', 'others, runs/s with ÷ without', 'others, runs per server CPU with ÷ without', 'aim'], rows)}${doubt}`
}

const reached = (ratio: number): string => (ratio >= othersAim ? 'reached' : 'missed')

const costs = ({ cost, rounds }: ManyMetrics): string => {
  const rows = [
    ['a run of the others, alone', inParts(cpuPerAnswer(rounds.flatMap(({ alone }) => alone)))],
    ['a request refused by the quota', inParts(cpuPerAnswer([cost.refused]))],
    ['a request refused by the rate limit', inParts(cpuPerAnswer([cost.limited]))],
  ]
  return `## CPU in ms

${table(['for', 'ms'], rows)}

The refused requests were measured at the same rate with nobody else calling, where nothing is shared between requests; \`generator\` is their client.`
}

const correctness = ({ correctness: facts, refusals }: ManyMetrics): string => {
  const wrong = Object.values(refusals)
    .flat()
    .flatMap(({ failures }) => Object.entries(failures))
  return `## Correctness in the same run: ${isNothingLost(facts) ? 'right' : '**WRONG, the measurements above are void**'}

${table(
  ['question', 'count'],
  [...correctnessRows(facts), ['refused requests with another answer than their refusal', JSON.stringify(wrong)]],
)}`
}

const all = ({ rounds }: ManyMetrics): string => {
  const rows = rounds.flatMap((round, at) =>
    kinds.map((kind) => [
      String(at + 1),
      kind,
      round[kind].map((window) => perSecond(window).toFixed(0)).join(' / '),
      round[kind].map((window) => (serverMs(window) / window.answers).toFixed(2)).join(' / '),
      latencies(round[kind]),
      `${(100 * Math.max(...round[kind].map(({ cpu }) => cpu.foreignShare))).toFixed(1)} %`,
    ]),
  )
  return `## All rounds

${table(['round', 'kind', 'runs/s', 'server CPU ms per run', 'p50 and p99 in ms', 'foreign CPU'], rows)}`
}

const latencies = (windows: readonly WindowResult[]): string =>
  `${median(windows.map(({ latencyMs }) => latencyMs.p50)).toFixed(0)} and ${median(windows.map(({ latencyMs }) => latencyMs.p99)).toFixed(0)}`

const inParts = (parts: Readonly<Record<string, number>>): string =>
  Object.entries(parts)
    .filter(([part]) => part !== 'bench')
    .map(([part, ms]) => `${part} ${ms.toFixed(2)}`)
    .join(', ')

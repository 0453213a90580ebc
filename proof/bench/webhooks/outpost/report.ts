import { cpus } from 'node:os'
import type { WindowResult } from '../../../lab/measure/load.ts'
import { counted, roundTable } from '../../../lab/measure/round-table.ts'
import type { Comparison } from '../../../lab/measure/rounds.ts'
import type { Outcome } from '../../../lab/report/outcome.ts'
import { claim } from '../../../lab/report/outcome.ts'
import { table } from '../../../lab/report/table.ts'
import { costOf } from '../cost.ts'
import type { WebhooksOptions } from '../options.ts'
import { acknowledged } from '../report.ts'
import { isAllAcknowledged, type Sent } from '../sent.ts'

export type OutpostMetrics = {
  options: WebhooksOptions
  startedAt: Date
  /** The control is Outpost. */
  sending: Comparison
  sent: Sent
  version: string
  settings: string
}

/** The processes of each side, with their names in the table of costs. */
const ours = ['worker', 'postgres', 'redis', 'restate'] as const
const theirs = ['outpost', 'rabbitmq', 'redis of outpost', 'postgres of outpost'] as const

export const outpostReport = (metrics: OutpostMetrics): { report: string; isRight: boolean; outcome: Outcome } => {
  const { options, startedAt, sending, sent, version, settings } = metrics
  const { size, endpoints, isPinned } = options
  const windows = {
    ours: sending.accepted.flatMap(({ subject }) => subject),
    theirs: sending.accepted.flatMap(({ control }) => control),
  }
  const cost = { ours: costOf(windows.ours, ours), theirs: costOf(windows.theirs, theirs) }
  const failures = failuresOf(sending)
  const isRight = isAllAcknowledged(sent) && failures.ours === '{}'
  const report = `# Bench: webhook deliveries of ours and of Outpost

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything on one machine. Made by \`${options.command}\`.

Both sides send the same body to the same receiver over TLS: ${endpoints} customers with an endpoint each, at most ${10 * endpoints} requests at once. ${isPinned ? 'All processes of both sides run on core 0, the receiver on core 1.' : 'The system chooses which core runs what.'}

- **Ours**: a worker. Events are rows, as the end of a run writes them, at most 2,000 ahead. An event, its delivery, its bytes and each attempt are in Postgres (\`fsync\` ${sent.fsync}, \`synchronous_commit\` ${sent.synchronousCommit}); the request is sent after the bytes are committed.
- **Outpost** ${version}: ${settings}. Events are published over its HTTP API, at most 2,000 ahead. They wait in RabbitMQ, in messages that its library marks as transient; events and attempts are written to Postgres in batches after the delivery.

A round is Outpost, ours, ours, Outpost, ${size.windowMs / 1000} s each after ${size.leadInMs / 1000} s that do not count. A round is rejected when other programs use more than 10 % of the machine in one of its windows or when its two windows of Outpost differ by more than 20 %.

## Result

${table(
  ['', 'deliveries/s', ...['program', 'queue', 'Redis', 'Postgres', 'engine', 'all'].map((part) => `${part} µs`)],
  [
    [
      'ours',
      cost.ours.rate,
      cost.ours.each[0],
      '',
      cost.ours.each[2],
      cost.ours.each[1],
      cost.ours.each[3],
      cost.ours.all,
    ],
    [
      'Outpost',
      cost.theirs.rate,
      cost.theirs.each[0],
      cost.theirs.each[1],
      cost.theirs.each[2],
      cost.theirs.each[3],
      '',
      cost.theirs.all,
    ],
  ].map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toFixed(0) : (cell ?? '')))),
)}

µs are CPU time for each delivery, medians of the windows. Ours over Outpost: **${sending.ratio.median.toFixed(2)}** deliveries a second (IQR ${sending.ratio.from.toFixed(2)}–${sending.ratio.to.toFixed(2)}; rounds: ${counted(sending)}), ${(cost.theirs.all / cost.ours.all).toFixed(2)} times as many for each second of CPU time.

## Correctness of ours: ${isRight ? 'right' : '**WRONG, the measurements above are void**'}

${sent.events} events, ${sent.deliveries} deliveries, ${sent.succeeded} acknowledged, ${sent.attempts} attempts. Failures: ours \`${failures.ours}\`, Outpost \`${failures.theirs}\`.

## Limits

- The two differ in what they promise: Outpost may lose what waits in RabbitMQ when that restarts, and ours writes each step down before the next.
- The program that publishes to Outpost does not count and is not pinned; the rows of our events are written by our Postgres, which counts.
- We know our product better than the other. If a setting is unfair, [report it](../../SUPPORT.md).

## All rounds, in deliveries a second

${roundTable({ 'ours/Outpost': sending })}
`
  const outcome: Outcome = {
    claims: [acknowledged(sent), claim('no request of ours fails', failures.ours === '{}', failures.ours)],
    metrics: [
      ['deliveries per second, ours over Outpost', sending.ratio.median.toFixed(2)],
      ['CPU of a delivery, Outpost over ours', (cost.theirs.all / cost.ours.all).toFixed(2)],
    ],
  }
  return { report, isRight, outcome }
}

const failuresOf = ({ rounds }: Comparison): { ours: string; theirs: string } => {
  const sumOf = (windows: readonly WindowResult[]): string => {
    const sums: Record<string, number> = {}
    for (const { failures } of windows)
      for (const [what, count] of Object.entries(failures)) sums[what] = (sums[what] ?? 0) + count
    return JSON.stringify(sums)
  }
  return {
    ours: sumOf(rounds.flatMap(({ subject }) => subject)),
    theirs: sumOf(rounds.flatMap(({ control }) => control)),
  }
}

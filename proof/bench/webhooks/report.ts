import { cpus } from 'node:os'
import type { WindowResult } from '../../lab/measure/load.ts'
import { counted, roundTable } from '../../lab/measure/round-table.ts'
import { type Comparison, perSecond, windowsOf } from '../../lab/measure/rounds.ts'
import { isSelfComparisonFair, type Spread, spreadOf } from '../../lab/measure/statistics.ts'
import { bar, type Claim, claim, type Outcome } from '../../lab/report/outcome.ts'
import { table } from '../../lab/report/table.ts'
import { partitionDays } from '../../lab/stack/partitions.ts'
import { costOf, cpuOfDelivery } from './cost.ts'
import type { WebhooksOptions } from './options.ts'
import { isAllAcknowledged, type Sent } from './sent.ts'

/** All that the report tells. */
export type WebhooksMetrics = {
  options: WebhooksOptions
  startedAt: Date
  bodyBytes: number
  /** The control against itself, and the worker against the control. */
  itself: Comparison
  sending: Comparison
  /** Deliveries a second when as much as possible is sent. */
  knee: number
  /** How late first attempts are at shares of it. */
  lag: readonly { share: number; result: WindowResult }[]
  sent: Sent
}

/** Of reliability.md, P8. */
const aims = { rateRatio: 0.4, lagP99Ms: 1000, lagShare: 0.5 } as const
/** The receiver and the bench are not measured. */
const senders = ['worker', 'postgres', 'redis', 'restate', 'bare'] as const

export const webhooksReport = (metrics: WebhooksMetrics): string => {
  const parts = [heading(metrics), verdict(metrics), costs(metrics), lateness(metrics), correctness(metrics)]
  return `${[...parts, allRounds(metrics)].join('\n\n')}\n`
}

/** Nothing failed on the way either. */
export const isRight = ({ sent, ...metrics }: WebhooksMetrics): boolean =>
  isAllAcknowledged(sent) && failuresOf(metrics).length === 0

export const outcomeOf = (metrics: WebhooksMetrics): Outcome => {
  const { sending, sent, knee } = metrics
  return {
    claims: [
      acknowledged(sent),
      claim(
        'no request fails, and every signature is valid',
        failuresOf(metrics).length === 0,
        failuresOf(metrics).join('; '),
      ),
      bar('deliveries per second, worker over a bare loop', sending.ratio.median, { least: aims.rateRatio }),
      bar(
        'first attempt after the event at half of the highest rate, p99 ms',
        halfWay(metrics)?.latencyMs.p99 ?? Number.NaN,
        { most: aims.lagP99Ms },
        0,
      ),
    ],
    metrics: [
      ['deliveries', sent.deliveries],
      ['deliveries per second', knee.toFixed(0)],
      ['CPU of a delivery over the bare loop', cpuRatio(sending).median.toFixed(2)],
    ],
  }
}

export const acknowledged = (sent: Sent): Claim =>
  claim(
    'every event is delivered and acknowledged once',
    isAllAcknowledged(sent),
    `${sent.events} events, ${sent.deliveries} deliveries, ${sent.succeeded} acknowledged, ${sent.attempts} attempts`,
  )

const heading = ({ options, startedAt, bodyBytes, sent }: WebhooksMetrics): string => {
  const { size, endpoints, isPinned } = options
  return `# Bench: webhook deliveries against a bare loop

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything on one machine, Node ${process.versions.node}. Made by \`${options.command}\`.

**Service**: one worker that is given events as the ends of runs write them, a row each; the relay gives each its place and makes its delivery, the sender claims it, renders the event from its run and writes the bytes down, signs, POSTs and records the attempt (\`synchronous_commit\` ${sent.synchronousCommit}, \`fsync\` ${sent.fsync}). Every event is one delivery: ${endpoints} organisations have an endpoint each. **Control**: undici in a loop that signs the bytes of such a delivery (${bodyBytes} bytes) in both forms and POSTs them, keeping nothing. Both to the same receiver over TLS, HTTP/1.1, ${10 * endpoints} connections kept alive, ten to an endpoint, which is the cap that every endpoint has.
${isPinned ? 'Worker, Postgres, Redis and the control run on core 0, the receiver on core 1: the rate is that of one core for all that a delivery needs.' : 'The system chooses which core runs what.'} Events are written by SQL, never more than 2,000 ahead, so that the relay's work is in the windows as it is in life. Each partitioned table has ${partitionDays} day partitions.
A round is control, service, service, control, ${size.windowMs / 1000} s each after ${size.leadInMs / 1000} s that do not count. ${size.rounds} rounds must count; a round is rejected when others use more than 10 % of the machine in one of its windows or when its two control windows differ by more than 20 %.`
}

const verdict = (metrics: WebhooksMetrics): string => {
  const { itself, sending } = metrics
  const { ratio } = sending
  const lagP99 = halfWay(metrics)?.latencyMs.p99 ?? Number.NaN
  const rows = [
    [
      'deliveries a second, worker ÷ control',
      `**${ratio.median.toFixed(2)}**`,
      iqr(ratio),
      `≥ ${aims.rateRatio}`,
      ratio.median >= aims.rateRatio ? 'reached' : 'missed',
      counted(sending),
    ],
    [
      'CPU a delivery, worker with Postgres and Redis ÷ control',
      cpuRatio(sending).median.toFixed(2),
      iqr(cpuRatio(sending)),
      '',
      '',
      '',
    ],
    [
      'first attempt after the event, p99 in ms at half of the rate',
      `**${lagP99.toFixed(0)}**`,
      '',
      `≤ ${aims.lagP99Ms}`,
      lagP99 <= aims.lagP99Ms ? 'reached' : 'missed',
      '',
    ],
  ]
  const doubt = isSelfComparisonFair(itself.ratio.median) ? '' : ', which is unfair'
  return `## Verdict

${table(['', 'median', 'IQR', 'aim', '', 'rounds'], rows)}

The control against itself: ${itself.ratio.median.toFixed(3)}${doubt}; ${counted(itself)} rounds counted.`
}

const costs = ({ sending }: WebhooksMetrics): string => {
  const row = (what: string, windows: readonly WindowResult[]): string[] => {
    const { rate, each, all } = costOf(windows, senders)
    return [what, ...[rate, ...each, all].map((figure) => figure.toFixed(0))]
  }
  const rows = [
    row(
      'control',
      sending.accepted.flatMap(({ control }) => control),
    ),
    row(
      'worker',
      sending.accepted.flatMap(({ subject }) => subject),
    ),
  ]
  return `## Cost

${table(['', 'deliveries/s', ...senders.map((part) => `${part} µs`), 'all µs'], rows)}

µs are CPU time for each delivery, medians of the windows.`
}

const lateness = ({ lag, knee }: WebhooksMetrics): string => {
  const rows = lag.map(({ share, result }) => [
    `${share * 100} %`,
    (knee * share).toFixed(0),
    perSecond(result).toFixed(0),
    result.latencyMs.p50.toFixed(0),
    result.latencyMs.p99.toFixed(0),
    result.latencyMs.most.toFixed(0),
  ])
  return `## From the event to its first arrival, in ms

${table(['of the highest rate', 'asked a second', 'came', 'p50', 'p99', 'most'], rows)}

Events arrive at a fixed rate, independent of those before them. The worker is not notified: it polls for new ones.`
}

const correctness = (metrics: WebhooksMetrics): string => {
  const { sent } = metrics
  const failures = failuresOf(metrics)
  return `## Correctness in the same run: ${isRight(metrics) ? 'right' : '**WRONG, the measurements above are void**'}

${sent.events} events, ${sent.deliveries} deliveries, ${sent.succeeded} of them acknowledged, ${sent.attempts} attempts. ${failures.length === 0 ? 'Every signature that was looked at, one in twenty, was true.' : failures.join('; ')}`
}

const failuresOf = ({ itself, sending, lag }: Omit<WebhooksMetrics, 'sent'>): string[] => {
  const windows = [itself, sending].flatMap(({ rounds }) => rounds.flatMap(windowsOf))
  return [...windows, ...lag.map(({ result }) => result)].flatMap(({ failures }) =>
    Object.entries(failures).map(([what, count]) => `${count} ${what}`),
  )
}

const halfWay = ({ lag }: Pick<WebhooksMetrics, 'lag'>): WindowResult | undefined =>
  lag.find(({ share }) => share === aims.lagShare)?.result

const cpuRatio = ({ accepted }: Comparison): Spread => {
  const mean = (windows: readonly WindowResult[]): number =>
    windows.reduce((sum, window) => sum + cpuOfDelivery(window, senders), 0) / windows.length
  return spreadOf(accepted.map(({ control, subject }) => mean(subject) / mean(control)))
}

const iqr = ({ from, to }: Spread): string => `${from.toFixed(2)}–${to.toFixed(2)}`

const allRounds = ({ itself, sending }: WebhooksMetrics): string => `## All rounds, in deliveries a second

${roundTable({ 'control/control': itself, 'worker/control': sending })}`

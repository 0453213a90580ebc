import { cpus } from 'node:os'
import type { SelfTimes } from '../../lab/measure/cpu-profile.ts'
import type { WindowResult } from '../../lab/measure/load.ts'
import { counted, roundTable } from '../../lab/measure/round-table.ts'
import { type Comparison, perSecond, windowsOf } from '../../lab/measure/rounds.ts'
import { isSelfComparisonFair, median, spreadOf } from '../../lab/measure/statistics.ts'
import { bar, claim, type Outcome } from '../../lab/report/outcome.ts'
import { selfTimeTables } from '../../lab/report/profile-tables.ts'
import { table } from '../../lab/report/table.ts'
import type { AuthOptions } from './options.ts'

/** All that the report tells. */
export type AuthMetrics = {
  options: AuthOptions
  startedAt: Date
  bodyBytes: number
  /** The control against itself, the gateway against the control, and a refused request against an allowed one. */
  itself: Comparison
  read: Comparison
  refusal: Comparison
  /** By how much the limiter says that the burst has become less, over all of it. */
  counted: number
}

/** Of reliability.md, P1 and P2. */
const aims = { rateRatio: 0.5, cpuRatio: 2, refusalCpuRatio: 0.8 } as const
const servers = ['gateway', 'bare', 'redis', 'postgres'] as const

export const authReport = (metrics: AuthMetrics): string =>
  `${[heading(metrics), verdict(metrics), costs(metrics), correctness(metrics), allRounds(metrics)].join('\n\n')}\n`

/** Every request was answered as it must be, and the limiter has counted each of them. */
export const isRight = (metrics: AuthMetrics): boolean => failuresOf(metrics).length === 0 && isCounted(metrics)

export const outcomeOf = (metrics: AuthMetrics): Outcome => {
  const { read, refusal, counted: fell } = metrics
  const failures = failuresOf(metrics)
  return {
    claims: [
      claim('every answer is the expected one', failures.length === 0, failures.join('; ')),
      claim('the limiter counts every request', isCounted(metrics), `${fell} of ${askedOf(metrics)}`),
      bar('requests per second, gateway over bare Node', read.ratio.median, { least: aims.rateRatio }),
      bar('CPU of a request, gateway over bare Node', cpuRatio(read).median, { most: aims.cpuRatio }),
      bar('CPU of a request, refused over allowed', cpuRatio(refusal).median, { most: aims.refusalCpuRatio }),
    ],
    metrics: [['requests', askedOf(metrics)]],
  }
}

const heading = ({ options, startedAt, bodyBytes }: AuthMetrics): string => {
  const { size, connections, isPinned } = options
  return `# Bench: an authenticated read against bare Node

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything on one machine, Node ${process.versions.node}. Made by \`${options.command}\`.

**Service**: \`GET /v2/api/auth/me\` with an API key that the gateway knows already, its rate limit taken from Redis; one gateway. **Control**: a server of \`node:https\` that answers the same status, headers and body (${bodyBytes} bytes) to whatever is asked. Both over TLS, HTTP/1.1, ${connections} connections kept alive, called by wrk as fast as they answer.
${isPinned ? 'Gateway, control, Redis and Postgres run on core 0, wrk on core 1: the rate is that of one core for all that a request needs.' : 'The system chooses which core runs what.'} **Refused**: the same call with a key that is over its limit.
A round is control, subject, subject, control, ${size.windowMs / 1000} s each after ${size.leadInMs / 1000} s that do not count. ${size.rounds} rounds must count; a round is rejected when others use more than 10 % of the machine in one of its windows or when its two control windows differ by more than 20 %.`
}

const verdict = ({ itself, read, refusal }: AuthMetrics): string => {
  const rate = read.ratio
  const cpu = cpuRatio(read)
  const refusalCpu = cpuRatio(refusal)
  const row = (what: string, spread: typeof rate, aim: string, isReached: boolean, of: Comparison): string[] => [
    what,
    `**${spread.median.toFixed(2)}**`,
    `${spread.from.toFixed(2)}–${spread.to.toFixed(2)}`,
    aim,
    isReached ? 'reached' : 'missed',
    counted(of),
  ]
  const rows = [
    row('requests a second, gateway ÷ control', rate, `≥ ${aims.rateRatio}`, rate.median >= aims.rateRatio, read),
    row('CPU a request, gateway ÷ control', cpu, `≤ ${aims.cpuRatio}`, cpu.median <= aims.cpuRatio, read),
    row(
      'CPU a request, refused ÷ allowed',
      refusalCpu,
      `≤ ${aims.refusalCpuRatio}`,
      refusalCpu.median <= aims.refusalCpuRatio,
      refusal,
    ),
  ]
  const doubt = isSelfComparisonFair(itself.ratio.median) ? '' : ', which is unfair'
  return `## Verdict

${table(['', 'median', 'IQR', 'aim', '', 'rounds'], rows)}

CPU is that of gateway, Redis and Postgres together. The control against itself: ${itself.ratio.median.toFixed(3)}${doubt}; ${counted(itself)} rounds counted.`
}

const costs = ({ read, refusal }: AuthMetrics): string => {
  const rows = [
    costRow(
      'bare Node',
      read.accepted.flatMap(({ control }) => control),
    ),
    costRow(
      'gateway, allowed',
      read.accepted.flatMap(({ subject }) => subject),
    ),
    costRow(
      'gateway, allowed (again)',
      refusal.accepted.flatMap(({ control }) => control),
    ),
    costRow(
      'gateway, refused',
      refusal.accepted.flatMap(({ subject }) => subject),
    ),
  ]
  return `## Requests a second, latency in ms, CPU in µs a request (medians of the windows)

${table(['', 'requests/s', 'p50', 'p99', ...servers], rows)}`
}

const costRow = (what: string, windows: readonly WindowResult[]): string[] => {
  const at = (pick: (window: WindowResult) => number): number => median(windows.map(pick))
  return [
    what,
    at(perSecond).toFixed(0),
    at(({ latencyMs }) => latencyMs.p50).toFixed(1),
    at(({ latencyMs }) => latencyMs.p99).toFixed(1),
    ...servers.map((part) => at(({ cpu, answers }) => (1000 * (cpu.parts[part] ?? 0)) / answers).toFixed(1)),
  ]
}

const correctness = (metrics: AuthMetrics): string => {
  const failures = failuresOf(metrics)
  return `## Correctness in the same run: ${isRight(metrics) ? 'right' : '**WRONG, the measurements above are void**'}

${failures.length === 0 ? 'Every answer to the allowed key was a 200, every answer to the other a 429.' : failures.join('; ')} What was left of the allowed key's burst fell by ${metrics.counted}; it was asked ${askedOf(metrics)} times in the windows that were measured; the warm-ups come on top.`
}

/** Lead-ins do not count in the windows, and wrk leaves a request in flight on each connection when it ends. */
const isCounted = ({ counted: fell, ...metrics }: AuthMetrics): boolean => fell >= askedOf(metrics)

const askedOf = ({ read, refusal }: Pick<AuthMetrics, 'read' | 'refusal'>): number => {
  const windows = [
    ...read.rounds.flatMap(({ subject }) => subject),
    ...refusal.rounds.flatMap(({ control }) => control),
  ]
  return windows.reduce((sum, { answers }) => sum + answers, 0)
}

const failuresOf = ({ itself, read, refusal }: AuthMetrics): string[] =>
  [itself, read, refusal]
    .flatMap(({ rounds }) => rounds.flatMap(windowsOf))
    .flatMap(({ failures }) => Object.entries(failures).map(([what, count]) => `${count} ${what}`))

const cpuOf = ({ cpu, answers }: WindowResult): number =>
  servers.reduce((sum, part) => sum + (cpu.parts[part] ?? 0), 0) / answers

const cpuRatio = ({ accepted }: Comparison) =>
  spreadOf(
    accepted.map(({ control, subject }) => {
      const mean = (windows: readonly WindowResult[]): number =>
        windows.reduce((sum, window) => sum + cpuOf(window), 0) / windows.length
      return mean(subject) / mean(control)
    }),
  )

const allRounds = ({ itself, read, refusal }: AuthMetrics): string => `## All rounds, in requests a second

${roundTable({ 'control/control': itself, 'gateway/control': read, 'refused/allowed': refusal })}`

export const authProfileReport = (which: string, { busyMs, functions, owners }: SelfTimes): string => {
  return `# Profile of the gateway: an authenticated read, ${which}

Made by \`pnpm bench auth --profile\`: ${busyMs.toFixed(0)} ms busy, the start included.

${selfTimeTables({ functions, owners })}
`
}

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import type { CpuUse } from '../../lab/measure/cpu.ts'
import type { WindowResult } from '../../lab/measure/load.ts'
import { type Comparison, perSecond, windowsOf } from '../../lab/measure/rounds.ts'
import { isSelfComparisonFair, median, type Spread, spreadOf } from '../../lab/measure/statistics.ts'
import { bar, type Metric, type Outcome } from '../../lab/report/outcome.ts'
import { table } from '../../lab/report/table.ts'
import { logLevel } from '../../lab/stack/fresh-stack.ts'
import { partitionDays } from '../../lab/stack/partitions.ts'
import { correctnessClaims, correctnessRows } from './correctness.ts'
import type { RunsMetrics, WritesPerRun } from './metrics.ts'
import type { RunsOptions } from './options.ts'

/** Of what the engine does when it is called bare. Issue 3 asks for half of it, issue 22 for more with many organisations. */
const ratioAimOf = ({ organisations }: Pick<RunsOptions, 'organisations'>): number => (organisations > 1 ? 0.55 : 0.5)

export const reportOf = (metrics: RunsMetrics): string =>
  `${[
    heading(metrics),
    verdict(metrics),
    latency(metrics),
    cpuSplit(metrics),
    whereItGoes(metrics),
    correctness(metrics),
    settings(metrics),
    allRounds(metrics),
  ].join('\n\n')}\n`

export const outcomeOf = ({ options, throughput, oneCaller, correctness: facts }: RunsMetrics): Outcome => ({
  claims: [
    ...correctnessClaims(facts),
    ...[...throughput].map(([callers, { ratio }]) =>
      bar(`runs per second compared with the bare engine, ${callers} callers`, ratio.median, {
        least: ratioAimOf(options),
      }),
    ),
  ],
  metrics: [
    ['answers', facts.answered],
    ...[...throughput].flatMap(([callers, comparison]): Metric[] => [
      [`runs per second, ${callers} callers`, rate(comparison.accepted.flatMap(({ subject }) => subject))],
      [`CPU of the bare engine over the service, ${callers} callers`, cpuRatio(comparison).toFixed(3)],
    ]),
    [
      'p50 ms, 1 caller',
      median(oneCaller.accepted.flatMap(({ subject }) => subject.map(({ latencyMs }) => latencyMs.p50))),
    ],
  ],
})

const heading = ({ startedAt, options }: RunsMetrics): string => {
  const { rounds, windowMs, leadInMs } = options.size
  return `# Bench: POST /runs against the bare engine

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, everything and the generator on one machine${options.isPinned ? ', generator on a separate CPU' : ', not pinned'}. Made by \`${options.command}\`.

**Service**: \`POST /v2/runs\` on \`test-echo\`, synchronous, TLS, HTTP/1.1 kept alive, API key and a new \`Idempotency-Key\` with each call${ofOrganisations(options)}. **Control**: a handler on the same engine that returns the same echo without a journalled step (the form our own first step has), called through the engine's ingress, request and response, same body, a new \`Idempotency-Key\` with each call, HTTP/1.1 kept alive, no TLS because the ingress has none.
A round is control, service, service, control, ${windowMs / 1000} s each after ${leadInMs / 1000} s that do not count; its ratio is answers over answers. ${rounds} rounds must count; a round is rejected when others use more than 10 % of the machine in one of its windows or when its two control windows differ by more than 20 %.`
}

const ofOrganisations = ({ organisations }: RunsOptions): string =>
  organisations > 1 ? `, for ${organisations.toLocaleString('en')} organisations in turn` : ''

const verdict = ({ itself, throughput, options }: RunsMetrics): string => {
  const ratioAim = ratioAimOf(options)
  const rows = [...throughput].map(([callers, comparison]) => {
    const self = itself.get(callers)
    return [
      String(callers),
      rate(comparison.accepted.flatMap(({ control }) => control)),
      rate(comparison.accepted.flatMap(({ subject }) => subject)),
      `**${comparison.ratio.median.toFixed(3)}**`,
      iqr(comparison.ratio),
      comparison.ratio.median >= ratioAim ? 'reached' : 'missed',
      self ? selfInWords(self) : '',
      counted(comparison),
    ]
  })
  return `## Throughput, aim: ratio ≥ ${ratioAim}

${table(['callers', 'control runs/s', 'service runs/s', 'ratio', 'IQR', 'aim', 'control/control', 'rounds'], rows)}`
}

const selfInWords = ({ ratio, isSound }: Comparison): string => {
  const doubt = isSound ? '' : ' (too few counted: only a hint)'
  return `${ratio.median.toFixed(3)}${isSelfComparisonFair(ratio.median) ? doubt : ' (unfair)'}`
}

const latency = ({ oneCaller, steady, throughput }: RunsMetrics): string => {
  const rows = [
    ...latencyRows('1 caller', oneCaller),
    ...[...throughput].flatMap(([callers, comparison]) => latencyRows(`${callers} callers`, comparison)),
    ...latencyRows(`${steady.ratePerSecond} arrivals/s`, steady.comparison),
  ]
  return `## Latency in ms (medians of the windows)

${table(['load', 'side', 'mean', 'p50', 'p90', 'p99', 'rounds'], rows)}

Steady arrivals are half of the most that the service answered; latency counts from the moment a call was due, so a stall cannot hide.`
}

const latencyRows = (name: string, comparison: Comparison): string[][] => {
  const row = (side: string, windows: readonly WindowResult[]): string[] => {
    const at = (which: 'mean' | 'p50' | 'p90' | 'p99'): string =>
      median(windows.map(({ latencyMs }) => latencyMs[which])).toFixed(2)
    return [name, side, at('mean'), at('p50'), at('p90'), at('p99'), counted(comparison)]
  }
  return [
    row(
      'control',
      comparison.accepted.flatMap(({ control }) => control),
    ),
    row(
      'service',
      comparison.accepted.flatMap(({ subject }) => subject),
    ),
  ]
}

const parts = ['gateway', 'worker', 'postgres', 'redis', 'restate', 'bare worker', 'generator'] as const

const cpuSplit = ({ oneCaller, steady, throughput }: RunsMetrics): string => {
  const rows = [
    ...[...throughput].flatMap(([callers, comparison]) => cpuRows(`${callers} callers`, comparison)),
    ...cpuRows(`${steady.ratePerSecond} arrivals/s`, steady.comparison),
    ...cpuRows('1 caller', oneCaller),
  ]
  return `## CPU in ms per run, by process

${table(['load', 'side', ...parts, 'sum without generator', 'machine busy'], rows)}

Postgres is all of its processes. The sums without the generator are what C4 trusts most on a shared machine: control over service is ${[
    ...throughput,
  ]
    .map(([callers, comparison]) => `**${cpuRatio(comparison).toFixed(3)}** at ${callers} callers`)
    .join(', ')}.`
}

/** What the service adds to the bare engine, part by part, at the highest load. */
const whereItGoes = ({ throughput, options }: RunsMetrics): string => {
  const ratioAim = ratioAimOf(options)
  const [callers, { accepted }] = [...throughput].at(-1) ?? [0, { accepted: [] }]
  const control = accepted.flatMap((round) => round.control)
  const service = accepted.flatMap((round) => round.subject)
  const cost = (windows: readonly WindowResult[], part: string): number =>
    median(windows.map((window) => cpuPerRun(window, part)))
  const added = (name: string, ofService: string, ofControl: string): string[] => {
    const [withService, withControl] = [cost(service, ofService), cost(control, ofControl)]
    return [name, withControl.toFixed(2), withService.toFixed(2), (withService - withControl).toFixed(2)]
  }
  const rows = [
    added('gateway', 'gateway', 'gateway'),
    added('worker (control: bare worker)', 'worker', 'bare worker'),
    added('postgres', 'postgres', 'postgres'),
    added('redis', 'redis', 'redis'),
    added('restate', 'restate', 'restate'),
  ]
  const budget = sumPerRun(control) / ratioAim
  return `## Where the time goes, ${callers} callers

${table(['CPU in ms per run', 'control', 'service', 'added'], rows)}

On a machine that is busy throughout, ratio ${ratioAim} means at most ${budget.toFixed(2)} ms per run; it takes ${sumPerRun(service).toFixed(2)} ms. \`pnpm bench runs --profile\` tells which functions and statements.`
}

const cpuRows = (name: string, { accepted }: Comparison): string[][] => {
  const row = (side: string, windows: readonly WindowResult[]): string[] => {
    const perRun = (part: string): number => median(windows.map((window) => cpuPerRun(window, part)))
    const busy = median(windows.map(({ cpu, seconds }) => sumOf(cpu) / (seconds * 1000 * cpus().length)))
    return [
      name,
      side,
      ...parts.map((part) => perRun(part).toFixed(2)),
      sumPerRun(windows).toFixed(2),
      `${(busy * 100).toFixed(0)} %`,
    ]
  }
  return [
    row(
      'control',
      accepted.flatMap(({ control }) => control),
    ),
    row(
      'service',
      accepted.flatMap(({ subject }) => subject),
    ),
  ]
}

const cpuPerRun = ({ cpu, answers }: WindowResult, part: string): number => (cpu.parts[part] ?? 0) / answers

const sumPerRun = (windows: readonly WindowResult[]): number => {
  const measured = parts.filter((part) => part !== 'generator')
  return median(windows.map((window) => measured.reduce((sum, part) => sum + cpuPerRun(window, part), 0)))
}

const sumOf = ({ parts: all }: CpuUse): number => Object.values(all).reduce((sum, one) => sum + one, 0)

const cpuRatio = ({ accepted }: Comparison): number =>
  sumPerRun(accepted.flatMap(({ control }) => control)) / sumPerRun(accepted.flatMap(({ subject }) => subject))

const correctness = ({
  correctness: facts,
}: RunsMetrics): string => `## Correctness in the same run: ${facts.isRight ? 'right' : '**WRONG, the measurements above are void**'}

${table(
  ['question', 'count'],
  [...correctnessRows(facts), ['other answers in the warm-up', JSON.stringify(facts.failures.warmUp)]],
)}`

const settings = ({ durability, writes }: RunsMetrics): string => {
  const list = (facts: Record<string, string>): string =>
    Object.entries(facts)
      .map(([name, value]) => `\`${name} = ${value}\``)
      .join(', ')
  return `## Durability and settings

- Postgres: ${list(durability.postgres)}; ${partitionDays} day partitions of each partitioned table.
- Engine: ${list(durability.engine)}.
- Data on ${durability.fileSystem}; one 4 KB write with fsync, before the load, takes ${durability.fsyncMs.toFixed(2)} ms (median of 100).
- Log level \`${logLevel}\`, NODE_ENV \`production\`, all else as \`pnpm dev\` sets it.
- Versions: ${versions()}.

${table(
  [
    'per run, at the highest load',
    'Postgres commits',
    'Postgres WAL fsyncs',
    'Postgres WAL bytes',
    'engine WAL fsyncs',
    'engine WAL bytes',
  ],
  [writeRow('control', writes.control), writeRow('service', writes.service)],
)}`
}

const writeRow = (side: string, { runs, writes }: WritesPerRun): string[] => {
  const each = (total: number, digits: number): string => (total / runs).toFixed(digits)
  return [
    side,
    each(writes.postgresCommits, 2),
    each(writes.postgresWalSyncs, 2),
    each(writes.postgresWalBytes, 0),
    each(writes.engineWalSyncs, 2),
    each(writes.engineWalBytes, 0),
  ]
}

const versions = (): string => {
  const manifest = readFileSync(join(repositoryDir, 'pnpm-workspace.yaml'), 'utf8')
  const names = ['@restatedev/restate-server', '@restatedev/restate-sdk', 'fastify', 'pg', 'redis', 'undici']
  const pins = names.map((name) => `${name} ${new RegExp(`^ +'?${name}'?: (.*)$`, 'm').exec(manifest)?.[1] ?? '?'}`)
  return [`Node ${process.versions.node}`, ...pins].join(', ')
}

const allRounds = ({ itself, throughput, oneCaller, steady }: RunsMetrics): string => {
  const rows = [
    ...[...itself].flatMap(([callers, comparison]) => roundRows(`control/control, ${callers} callers`, comparison)),
    ...[...throughput].flatMap(([callers, comparison]) => roundRows(`${callers} callers`, comparison)),
    ...roundRows('1 caller', oneCaller),
    ...roundRows(`${steady.ratePerSecond} arrivals/s`, steady.comparison),
  ]
  const windows = ['control', 'subject', 'subject', 'control'].map((side) => `${side}/s`)
  return `## All rounds

${table(['load', 'round', ...windows, 'ratio', 'foreign CPU, worst window', 'steal, mean', ''], rows)}`
}

const roundRows = (name: string, { rounds }: Comparison): string[][] =>
  rounds.map((round, index) => {
    const windows = windowsOf(round)
    const foreign = Math.max(...windows.map(({ cpu }) => cpu.foreignShare))
    const steal = windows.reduce((sum, { cpu }) => sum + cpu.stealShare, 0) / windows.length
    return [
      name,
      String(index + 1),
      ...windows.map((window) => perSecond(window).toFixed(0)),
      round.ratio.toFixed(3),
      `${(foreign * 100).toFixed(1)} %`,
      `${(steal * 100).toFixed(1)} %`,
      round.rejection ? `rejected: ${round.rejection}` : '',
    ]
  })

const rate = (windows: readonly WindowResult[]): string => spreadOf(windows.map(perSecond)).median.toFixed(0)

const iqr = ({ from, to }: Spread): string => `${from.toFixed(3)}–${to.toFixed(3)}`

const counted = ({ accepted, rounds, isSound }: Comparison): string =>
  `${accepted.length} of ${rounds.length}${isSound ? '' : ' (too few counted: only a hint)'}`

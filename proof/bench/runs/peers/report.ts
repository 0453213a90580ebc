import { cpus } from 'node:os'
import type { WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { claim, type Metric, type Outcome } from '../../../lab/report/outcome.ts'
import { loadAverage } from '../../../lab/report/progress.ts'
import { table } from '../../../lab/report/table.ts'
import { type Correctness, correctnessClaims } from '../correctness.ts'
import {
  controlSpread,
  cpuMsPerRun,
  cpuRatio,
  figuresOf,
  foreignShares,
  latencyRatio,
  type PeerRound,
  type Ratio,
  type SideFigures,
  throughputRatio,
} from './figures.ts'
import type { PeersOptions } from './options.ts'
import type { Product } from './peer.ts'
import { type Recovery, recoveryDeadlineMs } from './recovery.ts'

export type PeerMetrics = Pick<Product, 'name' | 'version' | 'settings'> & {
  killed: string
  /** Shares of one core without any run. */
  idle: { ours: number; peer: number }
  /** With `options.callers` callers, and with one. */
  many: readonly PeerRound[]
  one: readonly PeerRound[]
  recovery: Recovery
}

type PeersMetrics = {
  options: PeersOptions
  startedAt: Date
  ours: Pick<Product, 'name' | 'version' | 'settings' | 'recovery'>
  recovery: Recovery
  peers: readonly PeerMetrics[]
  correctness: Correctness
}

export const outcomeOf = ({ recovery, peers, correctness }: PeersMetrics): Outcome => ({
  claims: [
    ...correctnessClaims(correctness),
    claim(
      'every run completes after the kill of its process',
      recovery.completed === recovery.runs,
      `${recovery.completed} of ${recovery.runs}`,
    ),
    claim('no stored step is repeated', recovery.steps.firstRepeated === 0, `${recovery.steps.firstRepeated}`),
  ],
  metrics: peers.flatMap((peer): Metric[] => [
    [`${peer.name}: runs per second, ours over theirs`, inWords(throughputRatio(peer.many))],
    [`${peer.name}: CPU time per run, theirs over ours`, inWords(cpuRatio(peer.many))],
    [`${peer.name}: latency of 1 caller, theirs over ours`, inWords(latencyRatio(peer.one))],
  ]),
})

export const peersReport = (metrics: PeersMetrics): string => {
  const { options, startedAt, ours, recovery, peers, correctness } = metrics
  return `# Bench: other products on the same computer

Made by \`${options.command}\` on ${startedAt.toISOString().slice(0, 16)} UTC, ${cpus().length} cores, load average ${loadAverage().toFixed(1)} at the end.
${correctness.isRight ? '' : '**Not every call of this service was answered with a completed run; see the correctness below.**\n'}
## Result

Ratios above 1 mean that this service is better. Each is the ratio of the medians; the least and the greatest round follow in brackets.

${table(
  [
    'peer',
    'durable',
    `runs per second, ${options.callers} callers`,
    `CPU time per run, ${options.callers} callers`,
    'median latency, 1 caller',
  ],
  peers.map((peer) => [
    peer.name,
    durableInWords(peer.recovery),
    inWords(throughputRatio(peer.many)),
    inWords(cpuRatio(peer.many)),
    inWords(latencyRatio(peer.one)),
  ]),
)}

"Durable" is read off the recovery below: every run completed after the kill, and no finished step was repeated.

${peers.map((peer) => peerSection(peer, options)).join('\n\n')}

## Recovery after kill -9

${recovery.runs} runs are in the second of their two steps of 4 s when the process that executes steps gets SIGKILL. It is started again after 1 s. A second step
must be repeated, because it had not ended; a first step must not. Seconds count from the kill to the last completed run. The waiting ends after ${recoveryDeadlineMs / 1000} s.

${table(
  [
    'product',
    'killed',
    'completed',
    'failed',
    'lost',
    'process answers after',
    'last run completed after',
    'first steps repeated',
    'second steps repeated',
  ],
  [
    recoveryRow(ours.name, ours.recovery.killed, recovery),
    ...peers.map((peer) => recoveryRow(peer.name, peer.killed, peer.recovery)),
  ],
)}

## Versions and settings

${table(
  ['product', 'version', 'settings'],
  [ours, ...peers].map(({ name, version, settings }) => [name, version, settings]),
)}

Postgres is the same program with the same settings for all products that use it, with \`fsync\` and \`synchronous_commit\` on. Everything else is the default of the product.

## Method

- **Work**: a run of two steps. Each step is a function that returns a constant; no model is called. The caller waits for the end of the run. Here the agent is
  \`test-steps\`.
- **Rounds**: ours, peer, peer, ours, ${options.rounds} per peer and level of load, ${options.windowMs / 1000} s windows, the same generator. Each caller calls again when it has its answer.
- **CPU time per run**: the time of all processes of the product and of its database over the window, from \`/proc\`, divided by the runs that ended in it. The
  generator and other programs on the side of the caller do not count. What a product uses without any run is included, and is listed as idle.
- **Correctness of ours**: ${correctness.answered} answers, ${correctness.completedInDatabase} completed runs in the database, ${correctness.endedTwice} ended twice, ${correctness.stillActive} still active. Calls of
  the measured windows without a completed run, by status or error: \`${JSON.stringify(correctness.failures.measured)}\`.

## Limits

- The products differ in what they promise and do with each call; see the settings. A ratio compares the products as they come, not their design.
- All processes, those of the callers too, share ${cpus().length} cores. Runs per second therefore include the cost of the callers.
- No round is rejected. The tables show the share of the computer that other programs used, and the control: ours against itself, the first window of a round
  over its last one. A ratio within the spread of the control says nothing.
- We know our product better than the others. If a setting is unfair, [report it](../../SUPPORT.md).
`
}

const peerSection = (peer: PeerMetrics, { callers }: PeersOptions): string => {
  const many = figuresOf(peer.many)
  const one = figuresOf(peer.one)
  return `## ${peer.name}

${table(
  [
    '',
    `runs/s, ${callers} callers`,
    'CPU ms per run',
    `p50 ms, ${callers} callers`,
    `p99 ms, ${callers} callers`,
    'p50 ms, 1 caller',
    'p99 ms, 1 caller',
    'runs measured',
    'failed calls',
    'idle, cores',
  ],
  [sideRow('ours', many.ours, one.ours, peer.idle.ours), sideRow(peer.name, many.peer, one.peer, peer.idle.peer)],
)}

${table(
  ['level', 'control: runs per second', 'control: CPU per run', 'other programs, median', 'worst window'],
  [controlRow(`${callers} callers`, peer.many), controlRow('1 caller', peer.one)],
)}`
}

const sideRow = (name: string, many: SideFigures, one: SideFigures, idle: number): string[] => [
  name,
  many.perSecond.toFixed(1),
  many.cpuMsPerRun.toFixed(1),
  many.p50Ms.toFixed(0),
  many.p99Ms.toFixed(0),
  one.p50Ms.toFixed(0),
  one.p99Ms.toFixed(0),
  String(many.runs + one.runs),
  String(many.failures + one.failures),
  idle.toFixed(3),
]

const controlRow = (level: string, rounds: readonly PeerRound[]): string[] => {
  const spread = (value: (window: WindowResult) => number): string => {
    const { from, to } = controlSpread(rounds, value)
    return `${from.toFixed(2)} to ${to.toFixed(2)}`
  }
  const { median, worst } = foreignShares(rounds)
  return [level, spread(perSecond), spread(cpuMsPerRun), percent(median), percent(worst)]
}

const recoveryRow = (name: string, killed: string, found: Recovery): string[] => [
  name,
  killed,
  `${found.completed} of ${found.runs}`,
  String(found.failed),
  String(found.lost),
  `${found.restartSeconds.toFixed(1)} s`,
  found.seconds === undefined ? 'never' : `${found.seconds.toFixed(1)} s`,
  String(found.steps.firstRepeated),
  String(found.steps.secondRepeated),
]

const durableInWords = ({ completed, runs, steps }: Recovery): string =>
  completed === runs && steps.firstRepeated === 0 ? 'yes' : 'no'

const inWords = ({ ofMedians, from, to }: Ratio): string => `${digits(ofMedians)} (${digits(from)} to ${digits(to)})`

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : 1)

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

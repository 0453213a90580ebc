import { cpus } from 'node:os'
import { type Claim, hasHeld, measured } from '../lab/report/outcome.ts'
import { table } from '../lab/report/table.ts'
import type { Pair, TimingMetrics } from './measure.ts'
import type { TimingOptions } from './options.ts'
import { isSeen, maxT } from './welch.ts'

/** How far the medians of a foreign and of an unknown id may lie apart. */
const maxMedianMs = 1

export type Run = {
  options: TimingOptions
  startedAt: Date
  /** Of the machine, when it began and when it ended: what others were doing. */
  loads: readonly [number, number]
}

export const timingReport = (run: Run, metrics: TimingMetrics): string =>
  `${[heading(run), verdict(metrics), pairs(metrics), controls(metrics)].join('\n\n')}\n`

export const claimsOf = (metrics: TimingMetrics): Claim[] => [
  measured(
    'no pair of classes can be told apart',
    !metrics.pairs.some(({ difference }) => isSeen(difference)),
    `largest |t| ${largestT(metrics.pairs)}, below ${maxT}`,
  ),
  measured(
    'a foreign and an unknown id take the same time',
    areIdsNear(metrics),
    `${micros(metrics.ids.difference.medianMs)} µs apart, less than ${maxMedianMs} ms`,
  ),
  measured('the measurement can tell classes apart', couldSee(metrics), 'by its controls'),
]

const heading = ({
  options,
  startedAt,
  loads,
}: Run): string => `# Timing: what a stranger learns from how long an answer takes

Measured on ${momentOf(startedAt)}, ${machineOf(loads)}. Made by \`${options.command}\`, seed \`${options.seed}\`.

One connection, kept alive, one request after the other; latency at the client. In each round every class of a group comes once, in random order. For the t of Welch the slowest 5 % are left out; a pair is distinguishable when |t| ≥ ${maxT}. *Visible* is the least difference of the means that this many samples could have shown.`

const verdict = (metrics: TimingMetrics): string => {
  const seen = metrics.pairs.filter(({ difference }) => isSeen(difference))
  const lines = [
    seen.length === 0
      ? `**No pair can be told apart**: the largest |t| is ${largestT(metrics.pairs)}, below ${maxT}.`
      : `**${seen.length} of ${metrics.pairs.length} pairs can be told apart**: ${seen.map(({ first, second }) => `${first} / ${second}`).join('; ')}. This does not hold.`,
    `Medians of a foreign and of an unknown id: **${micros(metrics.ids.difference.medianMs)} µs** apart; the bar is ${maxMedianMs} ms: ${areIdsNear(metrics) ? 'it holds' : '**this does not hold**'}.`,
  ]
  if (!couldSee(metrics)) {
    lines.push('**The measurement proves nothing**: see the two controls below.')
  }
  return `## Verdict: ${hasHeld({ claims: claimsOf(metrics), metrics: [] }) ? 'holds' : '**does not hold**'}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

const pairs = ({ pairs: all }: TimingMetrics): string => `## The classes

${pairTable(all)}

Keys are asked for \`/v2/api/auth/me\`: one letter of a real key is changed and the checksum made true again, against keys that never were. An unknown run has an id of the same millisecond as the foreign one. A login is a wrong password for an account that exists against one for an account that does not; throttled, the password is not looked at.`

const controls = ({ itself, known }: TimingMetrics): string => `## Can this measurement see anything?

${pairTable([itself, known])}

The first must not be told apart: it is one class, cut in two. The second must: a key with a wrong checksum, which everybody can compute, is refused without being looked for.`

const pairTable = (all: readonly Pair[]): string => {
  const rows = all.map(({ first, second, samples, medianMs, difference }) => [
    first,
    second,
    String(samples),
    medianMs.toFixed(2),
    micros(difference.medianMs),
    micros(difference.visibleMs),
    difference.t.toFixed(2),
    isSeen(difference) ? 'told apart' : 'alike',
  ])
  const head = ['first', 'second', 'samples each', 'median ms', 'second − first µs', 'visible µs', 't', '']
  return table(head, rows)
}

const areIdsNear = ({ ids }: TimingMetrics): boolean => Math.abs(ids.difference.medianMs) < maxMedianMs

const couldSee = ({ itself, known }: TimingMetrics): boolean => !isSeen(itself.difference) && isSeen(known.difference)

const largestT = (all: readonly Pair[]): string =>
  Math.max(...all.map(({ difference }) => Math.abs(difference.t))).toFixed(2)

const micros = (ms: number): string => (1000 * ms).toFixed(0)

export const momentOf = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const machineOf = ([before, after]: readonly [number, number]): string =>
  `${cpus().length} vCPU, everything on one machine (load ${before.toFixed(1)} before, ${after.toFixed(1)} at the end), Node ${process.versions.node}`

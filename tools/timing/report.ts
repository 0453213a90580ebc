import { cpus } from 'node:os'
import { table } from '../bench/table.ts'
import type { Pair, TimingFigures } from './measure.ts'
import type { TimingOptions } from './options.ts'
import { isSeen, tMost } from './welch.ts'

/** How far the medians of a foreign and of an unknown id may lie apart. */
const medianMostMs = 1

export interface Run {
  options: TimingOptions
  startedAt: Date
  /** Of the machine, when it began and when it ended: what others were doing. */
  loads: readonly [number, number]
}

export function timingReport(run: Run, figures: TimingFigures): string {
  return `${[heading(run), verdict(figures), pairs(figures), controls(figures)].join('\n\n')}\n`
}

export function hasHeld(figures: TimingFigures): boolean {
  return !figures.pairs.some(({ difference }) => isSeen(difference)) && areIdsNear(figures) && couldSee(figures)
}

function heading({ options, startedAt, loads }: Run): string {
  return `# Timing: what a stranger learns from how long an answer takes

Measured on ${momentOf(startedAt)}, ${machineOf(loads)}. Made by \`${options.command}\`, seed \`${options.seed}\`.

One connection, kept alive, one request after the other; latency at the client. In each round every class of a group comes once, in random order. For the t of Welch the slowest 5 % are left out; a pair is told apart when |t| ≥ ${tMost}. *Visible* is the least difference of the means that this many samples could have shown.`
}

function verdict(figures: TimingFigures): string {
  const seen = figures.pairs.filter(({ difference }) => isSeen(difference))
  const lines = [
    seen.length === 0
      ? `**No pair can be told apart**: the largest |t| is ${largestT(figures.pairs)}, below ${tMost}.`
      : `**${seen.length} of ${figures.pairs.length} pairs can be told apart**: ${seen.map(({ first, second }) => `${first} / ${second}`).join('; ')}. This does not hold.`,
    `Medians of a foreign and of an unknown id: **${micros(figures.ids.difference.medianMs)} µs** apart; the bar is ${medianMostMs} ms: ${areIdsNear(figures) ? 'it holds' : '**this does not hold**'}.`,
  ]
  if (!couldSee(figures)) {
    lines.push('**The measurement proves nothing**: see the two controls below.')
  }
  return `## Verdict: ${hasHeld(figures) ? 'holds' : '**does not hold**'}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function pairs({ pairs: all }: TimingFigures): string {
  return `## The classes

${pairTable(all)}

Keys are asked for \`/v2/api/auth/me\`: one letter of a real key is changed and the checksum made true again, against keys that never were. An unknown run has an id of the same millisecond as the foreign one. A login is a wrong password for an account that exists against one for an account that does not; throttled, the password is not looked at.`
}

function controls({ itself, known }: TimingFigures): string {
  return `## Can this measurement see anything?

${pairTable([itself, known])}

The first must not be told apart: it is one class, cut in two. The second must: a key with a wrong checksum, which everybody can compute, is refused without being looked for.`
}

function pairTable(all: readonly Pair[]): string {
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

function areIdsNear({ ids }: TimingFigures): boolean {
  return Math.abs(ids.difference.medianMs) < medianMostMs
}

function couldSee({ itself, known }: TimingFigures): boolean {
  return !isSeen(itself.difference) && isSeen(known.difference)
}

function largestT(all: readonly Pair[]): string {
  return Math.max(...all.map(({ difference }) => Math.abs(difference.t))).toFixed(2)
}

function micros(ms: number): string {
  return (1000 * ms).toFixed(0)
}

export function momentOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function machineOf([before, after]: readonly [number, number]): string {
  return `${cpus().length} vCPU, everything on one machine (load ${before.toFixed(1)} before, ${after.toFixed(1)} at the end), Node ${process.versions.node}`
}

import { limits } from '@ars/contract'
import { quantile } from '../bench/statistics.ts'
import { table } from '../bench/table.ts'
import { type Attack, type GuessFigures, quiet } from './guesses.ts'
import { machineOf, momentOf, type Run } from './report.ts'

/** A reader may notice so much of it. */
const p99RatioMost = 1.1

export function guessesReport(run: Run, figures: GuessFigures): string {
  return `${[heading(run, figures), verdict(figures), guesses(figures), readers(figures)].join('\n\n')}\n`
}

export function haveHeld(figures: GuessFigures): boolean {
  return figures.attacks.every(
    (attack) => isBounded(attack) && ratioOf(figures, attack) <= p99RatioMost && failedOf(figures, attack.name) === 0,
  )
}

function heading({ options, startedAt, loads }: Run, figures: GuessFigures): string {
  const { guessesPerSecond, readsPerSecond, windows, seconds } = figures
  return `# Timing: guesses at a password

Measured on ${momentOf(startedAt)}, ${machineOf(loads)}. Made by \`${options.command}\`.

${windows * seconds * guessesPerSecond} guesses at one account from one address and as many at another from 500 addresses, ${guessesPerSecond} a second whatever is answered, in ${windows} windows of ${seconds} s each, with windows of peace of the same length between them. Through all of it somebody reads a run ${readsPerSecond} times a second.`
}

function verdict(figures: GuessFigures): string {
  const lines = figures.attacks.flatMap((attack) => {
    const ratio = ratioOf(figures, attack)
    return [
      `From ${attack.name}: **${attack.looked}** of ${total(attack)} passwords were looked at; the bar is ${limits.loginsPerAccount} for one account in ${limits.loginWindowSeconds / 60} minutes: ${isBounded(attack) ? 'it holds' : '**this does not hold**'}.`,
      `From ${attack.name}: the reader's p99 is **${ratio.toFixed(2)}** times that of peace; the bar is ${p99RatioMost}: ${ratio <= p99RatioMost ? 'it holds' : '**this does not hold**'}.`,
    ]
  })
  const failed = figures.attacks.reduce((sum, { name }) => sum + failedOf(figures, name), 0)
  lines.push(
    `Reads that were not answered 200 during the guesses: **${failed}**; the bar is 0: ${failed === 0 ? 'it holds' : '**this does not hold**'}. In peace: ${failedOf(figures, quiet)}.`,
  )
  const share = Math.abs(1 - quietRatio(figures))
  lines.push(
    `Peace against itself, every other window against the rest: p99 differs by ${(100 * share).toFixed(0)} %. A difference of that size says nothing.`,
  )
  return `## Verdict: ${haveHeld(figures) ? 'holds' : '**does not hold**'}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function guesses({ attacks }: GuessFigures): string {
  const rows = attacks.map((attack) => [
    attack.name,
    String(total(attack)),
    String(attack.looked),
    Object.entries(attack.counts)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ])
  return `## The guesses

${table(['from', 'guesses', 'looked at', 'answers'], rows)}

*Looked at* is the gateway's own count of slow hashes, \`ars_passwords_computed_total\`.`
}

function readers(figures: GuessFigures): string {
  const { latencies } = figures
  const rows = [...latencies].map(([name, ms]) => [
    name,
    String(ms.length),
    ...[0.5, 0.9, 0.99].map((share) => quantile(ms, share).toFixed(1)),
    String(failedOf(figures, name)),
  ])
  return `## What the reader waited, in ms\n\n${table(['guesses', 'reads', 'p50', 'p90', 'p99', 'failed'], rows)}`
}

function ratioOf({ latencies }: GuessFigures, { name }: Attack): number {
  return quantile(latencies.get(name) ?? [], 0.99) / quantile(latencies.get(quiet) ?? [], 0.99)
}

function quietRatio({ latencies, readsPerSecond, seconds }: GuessFigures): number {
  const windowOf = (at: number): number => Math.floor(at / (readsPerSecond * seconds))
  const ms = latencies.get(quiet) ?? []
  const half = (rest: number): number =>
    quantile(
      ms.filter((_, at) => windowOf(at) % 2 === rest),
      0.99,
    )
  return half(0) / half(1)
}

function failedOf({ failures }: GuessFigures, name: string): number {
  return failures.get(name) ?? 0
}

function isBounded(attack: Attack): boolean {
  return attack.looked <= limits.loginsPerAccount && total(attack) > 0
}

function total({ counts }: Attack): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

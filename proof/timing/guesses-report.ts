import { limits } from '@ars/contract'
import { quantile } from '../lab/measure/statistics.ts'
import { bar, type Claim, claim, hasHeld } from '../lab/report/outcome.ts'
import { table } from '../lab/report/table.ts'
import { type Attack, type GuessMetrics, quiet } from './guesses.ts'
import { machineOf, momentOf, type Run } from './report.ts'

/** A reader may notice so much of it. */
const maxP99Ratio = 1.1

export const guessesReport = (run: Run, metrics: GuessMetrics): string =>
  `${[heading(run, metrics), verdict(metrics), guesses(metrics), readers(metrics)].join('\n\n')}\n`

export const claimsOfGuesses = (metrics: GuessMetrics): Claim[] =>
  metrics.attacks.flatMap((attack) => [
    claim(`from ${attack.name}: the bar bounds the guesses`, isBounded(attack), `${attack.looked} of ${total(attack)}`),
    claim(`from ${attack.name}: no read of others fails`, failedOf(metrics, attack.name) === 0, 'see the answers'),
    bar(`from ${attack.name}: p99 of reads over quiet ones`, ratioOf(metrics, attack), { most: maxP99Ratio }),
  ])

const heading = ({ options, startedAt, loads }: Run, metrics: GuessMetrics): string => {
  const { guessesPerSecond, readsPerSecond, windows, seconds } = metrics
  return `# Timing: guesses at a password

Measured on ${momentOf(startedAt)}, ${machineOf(loads)}. Made by \`${options.command}\`.

${windows * seconds * guessesPerSecond} guesses at one account from one address and as many at another from 500 addresses, ${guessesPerSecond} a second whatever is answered, in ${windows} windows of ${seconds} s each, with windows of peace of the same length between them. Through all of it somebody reads a run ${readsPerSecond} times a second.`
}

const verdict = (metrics: GuessMetrics): string => {
  const lines = metrics.attacks.flatMap((attack) => {
    const ratio = ratioOf(metrics, attack)
    return [
      `From ${attack.name}: **${attack.looked}** of ${total(attack)} passwords were looked at; the bar is ${limits.loginsPerAccount} for one account in ${limits.loginWindowSeconds / 60} minutes: ${isBounded(attack) ? 'it holds' : '**this does not hold**'}.`,
      `From ${attack.name}: the reader's p99 is **${ratio.toFixed(2)}** times that of peace; the bar is ${maxP99Ratio}: ${ratio <= maxP99Ratio ? 'it holds' : '**this does not hold**'}.`,
    ]
  })
  const failed = metrics.attacks.reduce((sum, { name }) => sum + failedOf(metrics, name), 0)
  lines.push(
    `Reads that were not answered 200 during the guesses: **${failed}**; the bar is 0: ${failed === 0 ? 'it holds' : '**this does not hold**'}. In peace: ${failedOf(metrics, quiet)}.`,
  )
  const share = Math.abs(1 - quietRatio(metrics))
  lines.push(
    `Peace against itself, every other window against the rest: p99 differs by ${(100 * share).toFixed(0)} %. A difference of that size says nothing.`,
  )
  return `## Verdict: ${hasHeld({ claims: claimsOfGuesses(metrics), metrics: [] }) ? 'holds' : '**does not hold**'}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

const guesses = ({ attacks }: GuessMetrics): string => {
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

const readers = (metrics: GuessMetrics): string => {
  const { latencies } = metrics
  const rows = [...latencies].map(([name, ms]) => [
    name,
    String(ms.length),
    ...[0.5, 0.9, 0.99].map((share) => quantile(ms, share).toFixed(1)),
    String(failedOf(metrics, name)),
  ])
  return `## What the reader waited, in ms\n\n${table(['guesses', 'reads', 'p50', 'p90', 'p99', 'failed'], rows)}`
}

const ratioOf = ({ latencies }: GuessMetrics, { name }: Attack): number =>
  quantile(latencies.get(name) ?? [], 0.99) / quantile(latencies.get(quiet) ?? [], 0.99)

const quietRatio = ({ latencies, readsPerSecond, seconds }: GuessMetrics): number => {
  const windowOf = (at: number): number => Math.floor(at / (readsPerSecond * seconds))
  const ms = latencies.get(quiet) ?? []
  const half = (rest: number): number =>
    quantile(
      ms.filter((_, at) => windowOf(at) % 2 === rest),
      0.99,
    )
  return half(0) / half(1)
}

const failedOf = ({ failures }: GuessMetrics, name: string): number => failures.get(name) ?? 0

const isBounded = (attack: Attack): boolean => attack.looked <= limits.loginsPerAccount && total(attack) > 0

const total = ({ counts }: Attack): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

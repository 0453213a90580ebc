import { median, quantile } from '../lab/measure/statistics.ts'
import type { Strength } from './attack.ts'
import { isCalm, type Pressed, type Round } from './pressure.ts'
import type { Felt } from './quiet-tenant.ts'
import type { Window } from './window.ts'

export const bars = { grownBytes: 100 * 1_048_576, loopDelayMs: 50, loopRatio: 1.2, latencyRatio: 1.2 } as const

/** What one attack did, against the bars. */
export type Judged = {
  name: string
  grownBytes: number
  loopMs: { quiet: number; attacked: number }
  /** The middle of the windows' p99, in milliseconds. */
  reads: Compared
  writes: Compared
  newcomers: Compared
  gatewayShare: number
  attackerShare: number
  foreignShare: number
  /** Other programs used the machine in all its rounds: machine-dependent values are reported and not judged. */
  isCrowded: boolean
  /** Calls of the quiet customer that failed in rounds that do not count. */
  crowdedFailures: number
  /** What must never be, on whatever machine. */
  breaches: string[]
  /** What depends on the machine. */
  overBars: string[]
}

export type Compared = {
  quietMs: number
  attackedMs: number
  ratio: number
}

export const judge = (pressed: Pressed, strength: Strength): Judged => {
  const { attack, rounds, residentBeforeBytes } = pressed
  const calm = rounds.filter(isCalm)
  const counted = calm.length > 0 ? calm : rounds
  const quiet = counted.map((round) => round.quiet)
  const attacked = counted.map((round) => round.attacked)
  const grownBytes = Math.max(...rounds.map((round) => round.attacked.residentBytes)) - residentBeforeBytes
  const loopMs = { quiet: median(quiet.map(delayOf)), attacked: median(attacked.map(delayOf)) }
  const compare = (of: (felt: Felt) => number[]): Compared => {
    const p99 = (windows: readonly Window[]): number => median(windows.map(({ felt }) => quantile(of(felt), 0.99)))
    const [quietMs, attackedMs] = [p99(quiet), p99(attacked)]
    return { quietMs, attackedMs, ratio: attackedMs / quietMs }
  }
  const reads = compare(({ reads }) => reads)
  const writes = compare(({ writes }) => writes)
  const isLoopFine = loopMs.attacked < bars.loopDelayMs || loopMs.attacked <= bars.loopRatio * loopMs.quiet
  return {
    name: attack.name,
    grownBytes,
    loopMs,
    reads,
    writes,
    newcomers: compare(({ newcomers }) => newcomers),
    gatewayShare: median(attacked.map(({ gatewayShare }) => gatewayShare)),
    attackerShare: median(attacked.map(({ attackerShare }) => attackerShare)),
    foreignShare: median(attacked.map(({ foreignShare }) => foreignShare)),
    isCrowded: calm.length === 0,
    crowdedFailures: failuresOf(rounds.filter((round) => !isCalm(round))).length,
    breaches: [...breachesOf(pressed), ...memoryBreach(grownBytes, attack.maxGrownBytes?.(strength))],
    overBars: [
      ...(grownBytes <= bars.grownBytes ? [] : ['memory']),
      ...(isLoopFine ? [] : ['event loop']),
      ...(reads.ratio <= bars.latencyRatio ? [] : ['reads']),
      ...(writes.ratio <= bars.latencyRatio ? [] : ['writes']),
    ],
  }
}

/** Below this limit all is well; above it, an attack may have a separate limit. */
const memoryBreach = (grownBytes: number, grantedBytes = 0): string[] => {
  const mostBytes = Math.max(bars.grownBytes, grantedBytes)
  if (grownBytes <= mostBytes) return []
  const inMegabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)
  return [`memory grew by ${inMegabytes(grownBytes)} MB, more than ${inMegabytes(mostBytes)}`]
}

const breachesOf = ({ attack, rounds, tally, isAlive }: Pressed): string[] => {
  const failures = failuresOf(rounds.filter(isCalm))
  const foreign = Object.keys(tally).filter((outcome) => !attack.outcomes.includes(outcome))
  const isMet = attack.proof.some((outcome) => (tally[outcome] ?? 0) > 0)
  return [
    ...(isAlive ? [] : ['the gateway ended']),
    ...(failures.length === 0 ? [] : [`${failures.length} calls of the quiet customer failed, such as ${failures[0]}`]),
    ...foreign.map((outcome) => `an answer that there must not be: ${tally[outcome]} times ${outcome}`),
    ...(isMet ? [] : [`none of ${attack.proof.join(', ')} was seen`]),
  ]
}

const failuresOf = (rounds: readonly Round[]): string[] =>
  rounds.flatMap(({ quiet, attacked }) => [...quiet.felt.failures, ...attacked.felt.failures])

const delayOf = ({ loopDelayP99Ms }: Window): number => loopDelayP99Ms

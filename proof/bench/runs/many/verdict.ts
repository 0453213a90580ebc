import type { WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { maxForeignShare, type Spread, spreadOf } from '../../../lab/measure/statistics.ts'
import type { Correctness } from '../correctness.ts'

/** The issue asks for it: what the others complete beside an organisation without calls, compared with its absence. */
export const othersAim = 0.9

export const kinds = ['alone', 'refused', 'limited'] as const
export type Kind = (typeof kinds)[number]

/** The others' windows of a round, measured in the order alone, refused, limited, limited, refused, alone. */
export type ManyRound = Readonly<Record<Kind, readonly [WindowResult, WindowResult]>>

export const orderOfRound: readonly Kind[] = [...kinds, ...kinds.toReversed()]

export const toRound = (windows: readonly WindowResult[]): ManyRound => {
  const of = (kind: Kind): [WindowResult, WindowResult] => {
    const [first, second] = windows.filter((_, at) => orderOfRound[at] === kind)
    if (!first || !second) throw new Error('a round has two windows of each kind')
    return [first, second]
  }
  return { alone: of('alone'), refused: of('refused'), limited: of('limited') }
}

export type ManyRatios = {
  /** Runs per second of the others, compared with their absence. */
  throughput: Spread
  /** Runs of the others per second of CPU time of all servers. It holds on a busy computer too. */
  perCpu: Spread
}

/** `kind` compared with `alone`, round by round. */
export const ratiosOf = (rounds: readonly ManyRound[], kind: Kind): ManyRatios => ({
  throughput: spreadOf(rounds.map((round) => sum(round[kind], perSecond) / sum(round.alone, perSecond))),
  perCpu: spreadOf(rounds.map((round) => runsPerCpuMs(round[kind]) / runsPerCpuMs(round.alone))),
})

/** The clients and the bench itself do not count. */
export const serverMs = ({ cpu }: Pick<WindowResult, 'cpu'>): number =>
  Object.entries(cpu.parts).reduce((total, [part, ms]) => (isServer(part) ? total + ms : total), 0)

const runsPerCpuMs = (windows: readonly WindowResult[]): number =>
  sum(windows, ({ answers }) => answers) / sum(windows, serverMs)

/** CPU in ms per answer, by part; the two gateways and the two workers count together. */
export const cpuPerAnswer = (windows: readonly WindowResult[]): Record<string, number> => {
  const answers = sum(windows, (window) => window.answers)
  const parts: Record<string, number> = {}
  for (const { cpu } of windows) {
    for (const [part, ms] of Object.entries(cpu.parts)) {
      const name = part.replace(/ \d$/, 's')
      parts[name] = (parts[name] ?? 0) + ms / answers
    }
  }
  return parts
}

/** Other programs leave less of the computer to all stretches, and not to all the same. */
export const isQuiet = (rounds: readonly ManyRound[]): boolean =>
  rounds.every((round) => kinds.every((kind) => round[kind].every(({ cpu }) => cpu.foreignShare <= maxForeignShare)))

/**
 * Whether no answered run was lost, made twice or ended twice. A call that got another answer, such as 503 on a computer that has
 * too much to do, may have left a run: its client would repeat the call with the same key.
 */
export const isNothingLost = (facts: Correctness): boolean =>
  facts.answered > 0 &&
  facts.runs === facts.answered &&
  facts.completedInDatabase === facts.answered &&
  facts.endedTwice === 0 &&
  facts.stillActive === 0 &&
  facts.results - facts.answered <= otherAnswers(facts)

export const otherAnswers = ({ failures }: Pick<Correctness, 'failures'>): number =>
  [failures.warmUp, failures.measured].flatMap((each) => Object.values(each)).reduce((total, times) => total + times, 0)

export type LogCounts = { deadlocks: number; warnings: Record<string, number> }

/** Counts the lines of JSON logs by message, and those that name a deadlock in any log. */
export const countLogs = (texts: readonly string[]): LogCounts => {
  const counts: LogCounts = { deadlocks: 0, warnings: {} }
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    if (/deadlock detected|40P01/.test(line)) counts.deadlocks++
    const message = /"level":"(?:warn|error)".*"msg":"([^"]+)"/.exec(line)?.[1]
    if (message) counts.warnings[message] = (counts.warnings[message] ?? 0) + 1
  }
  return counts
}

const isServer = (part: string): boolean => /^(gateway|worker|postgres|redis|restate)/.test(part)

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

import type { Load, Side, WindowOrder, WindowResult } from './load.ts'
import { isSelfComparisonFair, maxForeignShare, rejectionOf, type Spread, spreadOf } from './statistics.ts'

/** One round: control, subject, subject, control. What drifts steadily meanwhile touches both alike. */
export type Round = {
  control: readonly [WindowResult, WindowResult]
  subject: readonly [WindowResult, WindowResult]
  /** Answers per second of the subject over those of the control. */
  ratio: number
  /** Why it does not count. */
  rejection: string | undefined
}

export type Comparison = {
  rounds: Round[]
  /** Of the rounds that count. */
  ratio: Spread
  accepted: Round[]
  /** False when too few rounds count: then all are used, and the ratio is only a hint. */
  isSound: boolean
}

export type RoundSize = {
  rounds: number
  windowMs: number
  leadInMs: number
  /** How long a round may wait for the others on the machine to become quiet. */
  patienceMs: number
}

/** What may be said while it goes on. */
export type Tell = (words: string) => void

type Window = Pick<WindowOrder, 'callers' | 'ratePerSecond'>

/** Measures until `size.rounds` rounds count, at most twice as many being rejected. */
export const compare = async (
  load: Load,
  subject: Side,
  window: Window,
  size: RoundSize,
  tell: Tell,
): Promise<Comparison> => {
  const rounds: Round[] = []
  const counting = (): Round[] => rounds.filter(({ rejection }) => !rejection)
  while (counting().length < size.rounds && rounds.length < 3 * size.rounds) {
    await untilQuiet(load, size.patienceMs)
    const round = await measureRound(load, subject, window, size)
    rounds.push(round)
    tell(`round ${rounds.length}: ${roundInWords(round)}`)
  }
  const isSound = counting().length >= size.rounds
  const accepted = counting().length > 0 ? counting() : rounds
  return { rounds, accepted, isSound, ratio: spreadOf(accepted.map(({ ratio }) => ratio)) }
}

/** The control against itself, again if it comes out unfair. */
export const compareWithItself = async (
  load: Load,
  window: Window,
  size: RoundSize,
  tell: Tell,
): Promise<Comparison> => {
  const maxTries = 3
  for (let tries = 1; ; tries++) {
    const comparison = await compare(load, 'control', window, size, tell)
    if (isSelfComparisonFair(comparison.ratio.median) || tries === maxTries) return comparison
    tell('the control differs from itself; measuring again')
  }
}

/** A round that begins while others work is a round lost. Twice quiet in a row, because work comes in bursts. */
const untilQuiet = async (load: Load, patienceMs: number): Promise<void> => {
  const deadline = performance.now() + patienceMs
  for (let quiet = 0; quiet < 2 && performance.now() < deadline; ) {
    quiet = (await load.listen()) <= maxForeignShare ? quiet + 1 : 0
  }
}

const measureRound = async (load: Load, subject: Side, window: Window, size: RoundSize): Promise<Round> => {
  const measure = (side: Side): Promise<WindowResult> =>
    load.run({ ...window, side, lengthMs: size.windowMs, leadInMs: size.leadInMs })
  const first = await measure('control')
  const second = await measure(subject)
  const third = await measure(subject)
  const last = await measure('control')
  const windows = [first, second, third, last]
  return {
    control: [first, last],
    subject: [second, third],
    ratio: (perSecond(second) + perSecond(third)) / (perSecond(first) + perSecond(last)),
    rejection: rejectionOf({
      control: [perSecond(first), perSecond(last)],
      foreignShares: windows.map(({ cpu }) => cpu.foreignShare),
    }),
  }
}

/** In the order in which they were measured. */
export const windowsOf = ({ control, subject }: Round): WindowResult[] => [control[0], ...subject, control[1]]

export const perSecond = ({ answers, seconds }: Pick<WindowResult, 'answers' | 'seconds'>): number => answers / seconds

const roundInWords = ({ control, subject, ratio, rejection }: Round): string => {
  const rates = [control[0], ...subject, control[1]].map((window) => perSecond(window).toFixed(0)).join(' / ')
  return `${rates} a second, ratio ${ratio.toFixed(3)}${rejection ? `; rejected: ${rejection}` : ''}`
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer } from './api-caller.ts'

/** One call of an open loop. */
export type Shot = {
  /** When it was due. */
  atMs: number
  /** How much later it was sent: a late generator judges nobody. */
  lateMs: number
  /** From its sending to the last byte of its answer; what our own journal costs is not in it. */
  tookMs: number
  /** Null: no answer came. */
  answer: ApiAnswer | null
}

export type OpenLoop = {
  perSecond: number
  seconds: number
  hopeless: AbortSignal
}

/** Calls that come at their own pace, whatever becomes of those before them. */
export const playOpenLoop = async <Call extends Pick<Shot, 'tookMs' | 'answer'>>(
  { perSecond, seconds, hopeless }: OpenLoop,
  shoot: (n: number) => Promise<Call>,
): Promise<(Call & Shot)[]> => {
  const begun = performance.now()
  const underWay: Promise<Call & Shot>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const atMs = begun + (n * 1000) / perSecond
    const earlyMs = atMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    hopeless.throwIfAborted()
    const lateMs = performance.now() - atMs
    underWay.push(shoot(n).then((shot) => ({ ...shot, atMs, lateMs })))
  }
  return Promise.all(underWay)
}

export const statusOf = ({ answer }: Pick<Shot, 'answer'>): number => answer?.status ?? 0

/** Of the time that they took, in whole milliseconds. */
export const percentileMs = (shots: readonly Pick<Shot, 'tookMs'>[], share: number): number => {
  const sorted = shots.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN)
}

/** How often which answer came. */
export const countsOf = (shots: readonly Pick<Shot, 'answer'>[]): string => {
  const counts = Map.groupBy(shots, (shot) => statusOf(shot) || 'none')
  return [...counts]
    .map(([status, { length }]) => `${status}: ${length}`)
    .toSorted()
    .join(', ')
}

/** The second, counted from the first shot, from which on every answer is as it should be. */
export const settledAfterMs = (shots: readonly Shot[], fromMs: number, isGood: (shot: Shot) => boolean): number => {
  const bad = shots
    .filter((shot) => shot.atMs >= fromMs && !isGood(shot))
    .map(({ atMs, tookMs }) => atMs + tookMs - fromMs)
  return Math.max(0, ...bad)
}

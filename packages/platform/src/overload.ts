import type { Clock } from './clock.ts'
import { DatabaseUnavailable } from './db/unavailable.ts'

/** Turned away because others are served first. Nothing was written: the caller may try again in a moment. */
export class Overloaded extends DatabaseUnavailable {}

/** What was measured at the moment of a decision. None of it is a speed that some machine is supposed to have. */
export type LoadFacts = {
  /** How late the event loop is. */
  loopDelayMs: number
  /** Who waits for a commit of the same group, how many go with one, and how many are on their way. */
  waiting: number
  together: number
  underWay: number
  /** What a commit takes by itself, and how much more with each that goes along. Infinite: it is not known yet. */
  fixedMs: number
  eachMs: number
  /** How long the oldest commit has been under way, in any group. */
  oldestMs: number
  /** The last commit failed because the database could not be asked, and none has succeeded since. */
  isAway: boolean
}

// Shorter than this nobody minds a wait, however much longer than usual it is.
const unnoticedMs = 150
// So few are no queue: a commit may take long for many reasons, and nobody is turned away because of one.
const fewWaiting = 4
// A commit that takes so many times what it takes by itself gains little by still more rows.
const worthwhile = 5

/** Whether one more shall be turned away at once, instead of being served too late. */
export const mustShed = (facts: LoadFacts): boolean => {
  const { waiting, together, underWay, fixedMs, eachMs, loopDelayMs } = facts
  const isIdle = waiting + underWay === 0
  // One at a time finds out whether the database is back.
  if (facts.isAway) return !isIdle || facts.oldestMs > 0
  if (!Number.isFinite(fixedMs)) return waiting >= 2 * together
  // The one that is under way and the next one, each as full as is of use.
  const boundMs = Math.max(unnoticedMs, 2 * Math.min(fixedMs + together * eachMs, worthwhile * fixedMs))
  if (waiting < fewWaiting) return false
  if (loopDelayMs > boundMs) return true
  const commits = 1 + Math.floor(waiting / together)
  const presentMs = underWay === 0 ? 0 : fixedMs + underWay * eachMs
  const expectedMs = presentMs + commits * fixedMs + (waiting + 1) * eachMs
  return loopDelayMs + Math.max(expectedMs, facts.oldestMs) > boundMs
}

/** How hard this process and its database are pressed. One for all that is accepted in a process. */
export type Load = {
  /** Commits under way at the same time: the other connections are for those who read and cancel. */
  readonly commitsMost: number
  mustShed(queue: Pick<LoadFacts, 'waiting' | 'together' | 'underWay'>): boolean
  /** A commit of so many begins. The answer is told how it ended. */
  begin(items: number): (outcome: 'done' | 'away') => void
  close(): void
}

const tickMs = 50
const newestShare = 0.25
// One stall, however long, is over when it is seen; it counts for no more than this. Only several in a row are a load.
const stallMostMs = 500

/** How late the event loop is of late, after one more look at it. */
export const smoothDelay = (beforeMs: number, seenMs: number): number =>
  beforeMs + newestShare * (Math.min(Math.max(0, seenMs), stallMostMs) - beforeMs)

export const createLoad = (clock: Clock, { commitsMost }: { commitsMost: number }): Load => {
  const underWay = new Set<{ sinceMs: number }>()
  const cost = createCost()
  let isAway = false
  let loopDelayMs = 0
  let tickedAtMs = clock.monotonicMs()
  const timer = setInterval(() => {
    const nowMs = clock.monotonicMs()
    loopDelayMs = smoothDelay(loopDelayMs, nowMs - tickedAtMs - tickMs)
    tickedAtMs = nowMs
  }, tickMs)
  timer.unref()

  return {
    commitsMost,
    mustShed: (queue) => {
      const [oldest] = underWay
      // One that takes long is noticed before it ends.
      const oldestMs = oldest ? clock.monotonicMs() - oldest.sinceMs : 0
      return mustShed({ ...queue, ...cost.read(), loopDelayMs, oldestMs, isAway })
    },
    begin: (items) => {
      const commit = { sinceMs: clock.monotonicMs() }
      underWay.add(commit)
      return (outcome) => {
        underWay.delete(commit)
        isAway = outcome === 'away'
        if (!isAway) cost.note(items, clock.monotonicMs() - commit.sinceMs)
      }
    },
    close: () => clearInterval(timer),
  }
}

/** Of the last commits, weighed by their age: so many of them make up most of what is believed. */
const remembered = 20
/** After fewer than this nothing is believed, and nobody turned away. */
const knownFrom = 5
/** With nothing to compare, what was believed of each fades: more are let in, and then there is something to compare. */
const fading = 0.998

/**
 * The line through the latest commits: how long they took over how many went along. A far database costs the same for
 * each commit, a busy one costs for each row; only the second is a reason to take fewer.
 */
export const createCost = () => {
  let [weight, items, ms, itemsSquared, product] = [0, 0, 0, 0, 0]
  let eachMs = 0
  return {
    note: (count: number, tookMs: number): void => {
      const keep = 1 - 1 / remembered
      weight = weight * keep + 1
      items = items * keep + count
      ms = ms * keep + tookMs
      itemsSquared = itemsSquared * keep + count * count
      product = product * keep + count * tookMs
      const spread = itemsSquared / weight - (items / weight) ** 2
      const slope = (product / weight - (items / weight) * (ms / weight)) / spread
      // Counts that hardly differ say nothing.
      eachMs = spread >= 1 ? Math.max(0, slope) : eachMs * fading
    },
    read: (): { fixedMs: number; eachMs: number } => ({
      eachMs,
      fixedMs: weight < knownFrom ? Number.POSITIVE_INFINITY : Math.max(0, (ms - eachMs * items) / weight),
    }),
  }
}

import { platformBounds } from './bounds.ts'
import type { Clock } from './clock.ts'
import { DatabaseUnavailable, type WhyUnavailable } from './db/unavailable.ts'

/** Rejected because of overload. Nothing was written; the caller may retry soon. */
export class Overloaded extends DatabaseUnavailable {
  readonly #why: WhyUnavailable

  /** `why`: the failure after which others are not even tried. */
  constructor(message: string, why: WhyUnavailable = 'shed') {
    super(message)
    this.#why = why
  }

  override get why(): WhyUnavailable {
    return this.#why
  }
}

/** Measurements at the time of a decision. None of them assumes a machine of a certain speed. */
export type LoadFacts = {
  /** The delay of the event loop. */
  loopDelayMs: number
  /** The waiting items of the group, the items per commit, and the items in flight. */
  waiting: number
  together: number
  underWay: number
  /** The fixed duration of a commit, and the duration per row. Infinite: not known yet. */
  fixedMs: number
  eachMs: number
  /** The age of the oldest commit in flight, in any group. */
  oldestMs: number
  /** The last commit failed because the database was unavailable, and none has succeeded since. */
  isAway: boolean
}

// Waits below this limit are acceptable, even if they are longer than usual.
const unnoticedMs = 150
// So few waiting items are not a queue: a single slow commit is no reason to reject callers. If each of them takes long, half of them are.
const fewWaiting = 8
// A commit that takes this multiple of its fixed duration gains little from more rows.
const worthwhile = 3

/** Whether one more caller is rejected now instead of being served too late. `graceMs`: how much later is still good enough. */
export const mustShed = (facts: LoadFacts, graceMs = 0): boolean => {
  const { waiting, together, underWay, fixedMs, eachMs, loopDelayMs } = facts
  const isIdle = waiting + underWay === 0
  // A single request at a time checks whether the database is back.
  if (facts.isAway) return !isIdle || facts.oldestMs > 0
  if (!Number.isFinite(fixedMs)) return waiting >= 2 * together
  // The commit in flight and the next one, each as full as is useful.
  const usualMs = 2 * Math.min(fixedMs + together * eachMs, worthwhile * fixedMs)
  const boundMs = Math.max(unnoticedMs, usualMs) + graceMs
  if (waiting < (fewWaiting * eachMs > unnoticedMs ? fewWaiting / 2 : fewWaiting)) return false
  if (loopDelayMs > boundMs) return true
  const commits = 1 + Math.floor(waiting / together)
  const presentMs = underWay === 0 ? 0 : fixedMs + underWay * eachMs
  const expectedMs = presentMs + commits * fixedMs + (waiting + 1) * eachMs
  return loopDelayMs + Math.max(expectedMs, facts.oldestMs) > boundMs
}

/**
 * `blocked`: somebody held a lock for too long, a migration for example. The database is there, and the time says nothing
 * about the cost of a commit. `away`: the database was unavailable.
 */
export type CommitOutcome = 'done' | 'blocked' | 'away'

/** The load of this process and its database. One instance per process. */
export type Load = {
  /** The limit of concurrent commits. The other connections are for reads and cancellations. */
  readonly maxCommits: number
  mustShed(queue: Pick<LoadFacts, 'waiting' | 'together' | 'underWay'>): boolean
  /** Starts a commit of `count` rows. Call the returned function with its outcome. */
  begin(items: number): (outcome: CommitOutcome, error?: unknown) => void
  /** The error for a caller that is rejected: if the database is away it has the reason of the last failure. */
  rejection(message: string): Overloaded
  close(): void
}

// For this time callers may also wait this much longer: one slow commit, or a computer that stood still for a moment, is
// followed by one large batch, not by rejections.
const maxGraceMs = platformBounds.overloadGrace.ms
// An overload in which no caller met a long queue for this time is over; the next one gets its grace again.
const calmMs = 1_000

/** To be asked by each caller who meets a queue that is too long. Returns how much longer than usual it may wait. */
export const createGrace = () => {
  let sinceMs = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return (nowMs: number): number => {
    if (nowMs - lastMs > calmMs) sinceMs = nowMs
    lastMs = nowMs
    return nowMs - sinceMs < maxGraceMs ? maxGraceMs : 0
  }
}

const tickMs = 50
const newestShare = 0.25
// A single stall is over when it is seen, so it counts up to this limit. Only repeated stalls indicate load.
const maxStallMs = platformBounds.loopStall.ms

/** The recent delay of the event loop, updated with one more measurement. */
export const smoothDelay = (beforeMs: number, seenMs: number): number =>
  beforeMs + newestShare * (Math.min(Math.max(0, seenMs), maxStallMs) - beforeMs)

export const createLoad = (clock: Clock, { maxCommits }: { maxCommits: number }): Load => {
  const underWay = new Set<{ sinceMs: number }>()
  const cost = createCost()
  const grace = createGrace()
  let away: WhyUnavailable | null = null
  let loopDelayMs = 0
  let tickedAtMs = clock.monotonicMs()
  const timer = setInterval(() => {
    const nowMs = clock.monotonicMs()
    loopDelayMs = smoothDelay(loopDelayMs, nowMs - tickedAtMs - tickMs)
    tickedAtMs = nowMs
  }, tickMs)
  timer.unref()

  return {
    maxCommits,
    mustShed: (queue) => {
      const [oldest] = underWay
      const nowMs = clock.monotonicMs()
      // A slow commit counts before it ends.
      const oldestMs = oldest ? nowMs - oldest.sinceMs : 0
      const facts = { ...queue, ...cost.read(), loopDelayMs, oldestMs, isAway: away !== null }
      // An unavailable database is known by a failure, not by an estimate.
      return mustShed(facts) && (away !== null || mustShed(facts, grace(nowMs)))
    },
    begin: (items) => {
      const commit = { sinceMs: clock.monotonicMs() }
      underWay.add(commit)
      return (outcome, error) => {
        underWay.delete(commit)
        away = outcome === 'away' ? whyOf(error) : null
        if (outcome === 'done') cost.note(items, clock.monotonicMs() - commit.sinceMs)
      }
    },
    rejection: (message) => new Overloaded(message, away ?? 'shed'),
    close: () => clearInterval(timer),
  }
}

const whyOf = (error: unknown): WhyUnavailable => (error instanceof DatabaseUnavailable ? error.why : 'database_away')

/** The number of recent commits that dominate the weighted average. */
const remembered = 20
/** With fewer commits than this there is no estimate and no rejection. */
const knownFrom = 5
/** Without different batch sizes to compare, the cost per row decays: larger batches follow, which can be compared. */
const fading = 0.998

/**
 * A linear regression over the latest commits: duration by batch size. A distant database has a cost per commit, a busy
 * one a cost per row; only the second is a reason to accept less.
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
      // Batch sizes that hardly differ carry no information.
      eachMs = spread >= 1 ? Math.max(0, slope) : eachMs * fading
    },
    read: (): { fixedMs: number; eachMs: number } => ({
      eachMs,
      fixedMs: weight < knownFrom ? Number.POSITIVE_INFINITY : Math.max(0, (ms - eachMs * items) / weight),
    }),
  }
}

import { rememberRecent } from '@ars/platform/recent'
import { Cron } from 'croner'
import { schedulesBounds } from './bounds.ts'
import { isTimeZone, momentOf, wallAt } from './zone.ts'

/** When something is due. The first date of an interval is one interval after `anchor`. */
export type Timing =
  | { kind: 'cron'; expression: string; zone: string }
  | { kind: 'interval'; seconds: number; anchor: Date }
  | { kind: 'once'; at: Date }

const timingLimits = {
  /** The least time between two dates. Cron has no seconds, so only an interval can be too short. */
  minSeconds: 60,
  maxIntervalSeconds: schedulesBounds.interval.seconds,
  cronChars: schedulesBounds.cron.chars,
  nextDates: schedulesBounds.nextDates.count,
  /** A date that is noticed later than this was missed. Every date that is noticed earlier fires. */
  missedAfterMs: schedulesBounds.lateDate.ms,
  /** Firings that wait for the one before them. Further ones are skipped. */
  queuedFirings: schedulesBounds.queuedFirings.count,
} as const

/** The problems of a timing, by field. An empty list: it can be saved. */
export const problemsOfTiming = (timing: Timing, now: Date): { param: string; message: string }[] => {
  switch (timing.kind) {
    case 'cron':
      return [
        ...(isTimeZone(timing.zone)
          ? []
          : [{ param: 'time_zone', message: 'is not a time zone, such as Europe/Berlin' }]),
        ...cronProblems(timing.expression, now),
      ]
    case 'interval': {
      const { minSeconds, maxIntervalSeconds } = timingLimits
      const isValid =
        Number.isInteger(timing.seconds) && timing.seconds >= minSeconds && timing.seconds <= maxIntervalSeconds
      return isValid
        ? []
        : [{ param: 'interval_seconds', message: `is a whole number from ${minSeconds} to ${maxIntervalSeconds}` }]
    }
    case 'once':
      return timing.at > now ? [] : [{ param: 'once_at', message: 'is in the past' }]
  }
}

/**
 * The first date after a moment, or null if there is none.
 *
 * Cron counts on the clocks of its zone. Dates in an hour that the clocks skip are due once, at the moment of the change. An hour that they
 * show twice counts the first time, so no date is due twice. An interval does not know the clocks: use it for a date
 * every hour of the year.
 */
export const nextDate = (timing: Timing, after: Date): Date | null => {
  switch (timing.kind) {
    case 'cron':
      return nextOfCron(timing, after)
    case 'interval': {
      const stepMs = 1_000 * timing.seconds
      const start = timing.anchor.getTime()
      const passed = Math.max(0, Math.floor((after.getTime() - start) / stepMs))
      return new Date(start + (passed + 1) * stepMs)
    }
    case 'once':
      return timing.at > after ? timing.at : null
  }
}

/** The dates after a moment, for people: `timingLimits.nextDates`, or as many as there are. */
export const nextDates = (timing: Timing, after: Date): readonly Date[] => {
  if (timing.kind !== 'cron') return datesAfter(timing, after)
  const shown = shownDates(`${timing.zone} ${timing.expression}`)
  // No date lies between the moment of the computation and the first one.
  const [next] = shown.dates
  if (shown.after === null || after < shown.after || (next && after >= next)) {
    shown.after = after
    shown.dates = datesAfter(timing, after)
  }
  return shown.dates
}

const datesAfter = (timing: Timing, after: Date): Date[] => {
  const dates: Date[] = []
  let last: Date | null = after
  while (dates.length < timingLimits.nextDates) {
    last = nextDate(timing, last)
    if (last === null) break
    dates.push(last)
  }
  return dates
}

export type DueDates = {
  /** In their order. Each fires once. */
  fire: Date[]
  /** The first and the last date that was missed. `isMadeUp`: the last one is among those that fire. */
  missed: { first: Date; last: Date; isMadeUp: boolean } | null
  /** The next date after `until`. */
  next: Date | null
}

/**
 * The dates that are due after one moment and up to another. Dates that were missed, because the service was down or the schedule was behind, are
 * skipped with `skip`; with `once` the last of them fires for all.
 */
export const dueDates = (
  timing: Timing,
  { after, until, missed: rule }: { after: Date; until: Date; missed: 'skip' | 'once' },
): DueDates => {
  const limit = new Date(until.getTime() - timingLimits.missedAfterMs - 1)
  const first = nextDate(timing, after)
  const missed = first !== null && first <= limit ? { first, last: lastDate(timing, first, limit) } : null
  const fire: Date[] = missed && rule === 'once' ? [missed.last] : []
  let next = missed ? nextDate(timing, missed.last) : first
  for (; next !== null && next <= until; next = nextDate(timing, next)) fire.push(next)
  return { fire, missed: missed && { ...missed, isMadeUp: rule === 'once' }, next }
}

/** What a firing does while earlier ones are active or queued. */
export const decideOverlap = (
  overlap: 'skip' | 'queue' | 'allow',
  { active, queued }: { active: number; queued: number },
): 'start' | 'queue' | 'skip' => {
  if (overlap === 'allow' || (active === 0 && queued === 0)) return 'start'
  return overlap === 'queue' && queued < timingLimits.queuedFirings ? 'queue' : 'skip'
}

/** The last date up to `limit`. `first` is one. There may be half a million between them, so they are not counted. */
const lastDate = (timing: Timing, first: Date, limit: Date): Date => {
  let last = first
  // No date lies between this moment and `limit`.
  let empty = limit.getTime()
  while (empty - last.getTime() >= 1_000 * timingLimits.minSeconds) {
    const middle = Math.floor((last.getTime() + empty) / 2)
    const next = nextDate(timing, new Date(middle))
    if (next !== null && next <= limit) last = next
    else empty = middle
  }
  return last
}

// Five fields of digits, names, * , - / and L and # of croner, one space or more between them.
const cronShape = /^[\dA-Za-z*,\-/#]+(\s+[\dA-Za-z*,\-/#]+){4}$/

const cronProblems = (expression: string, now: Date): { param: string; message: string }[] => {
  const fault = (message: string) => [{ param: 'cron', message }]
  if (expression.length > timingLimits.cronChars) return fault(`has at most ${timingLimits.cronChars} characters`)
  if (!cronShape.test(expression)) return fault('has five fields: minute, hour, day of month, month, day of week')
  const pattern = patternOf(expression)
  if (pattern.kind === 'fault') return fault(`cannot be read: ${pattern.message}`)
  return pattern.cron.nextRun(now) === null ? fault('names a date that never comes') : []
}

// A date of a rare expression takes a millisecond, and lists show a hundred schedules.
const maxShown = schedulesBounds.shownDatesKnown.count

const shownDates = rememberRecent(maxShown, (): { after: Date | null; dates: Date[] } => ({ after: null, dates: [] }))

// Each takes 83 KB, because the library lists 10,000 years, and 70 microseconds to parse.
const maxPatterns = schedulesBounds.patternsKnown.count

/**
 * The library reads the expression and counts in UTC. It does not see the zone: its own rules for changes of the clocks differ from ours.
 */
const patternOf = rememberRecent(
  maxPatterns,
  (expression): { kind: 'pattern'; cron: Cron } | { kind: 'fault'; message: string } => {
    try {
      return { kind: 'pattern', cron: new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true }) }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown'
      return { kind: 'fault', message: message.replace(/^CronPattern: /, '').slice(0, 200) }
    }
  },
)

const nextOfCron = ({ expression, zone }: Extract<Timing, { kind: 'cron' }>, after: Date): Date | null => {
  const pattern = patternOf(expression)
  if (pattern.kind === 'fault') return null
  let wall: Date | null = new Date(wallAt(zone, after.getTime()))
  for (;;) {
    wall = pattern.cron.nextRun(wall)
    if (wall === null) return null
    const moment = momentOf(zone, wall.getTime())
    // In an hour that comes twice, its dates lie behind when the clocks show it again.
    if (moment > after.getTime()) return new Date(moment)
  }
}

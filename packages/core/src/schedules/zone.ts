import { rememberRecent } from '@ars/platform/recent'
import { schedulesBounds } from './bounds.ts'

/**
 * A time on the clocks of a zone: the milliseconds since 1970 that the same digits would be in UTC. Around a change of the clocks it is
 * not a moment.
 */
export type WallMs = number

/** Whether this is the name of a time zone of the IANA database. Offsets such as `+02:00` are none. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && formatOf(name) !== null

/** What the clocks of the zone show at a moment. */
export const wallAt = (zone: string, momentMs: number): WallMs => momentMs + offsetAt(zone, momentMs)

/**
 * The moment at which the clocks of the zone show this time. If they skip it, it is the moment of the change, which is the first one after
 * the gap. If they show it twice, it is the first time.
 */
export const momentOf = (zone: string, wall: WallMs): number => {
  // No offset is beyond a day, and no zone changes its clocks twice in two days.
  const before = offsetAt(zone, wall - dayMs)
  const after = offsetAt(zone, wall + dayMs)
  if (before === after) return wall - before
  // The larger offset is the earlier moment.
  const offset = [Math.max(before, after), Math.min(before, after)].find((each) => offsetAt(zone, wall - each) === each)
  return offset === undefined ? changeBetween(zone, wall - after, wall - before) : wall - offset
}

const dayMs = 86_400_000

/** The first moment that has the offset of `to`. The offset of `from` is another one. */
const changeBetween = (zone: string, from: number, to: number): number => {
  const offset = offsetAt(zone, to)
  let [old, changed] = [from, to]
  while (changed - old > 1_000) {
    const middle = 1_000 * Math.floor((old + changed) / 2_000)
    if (offsetAt(zone, middle) === offset) changed = middle
    else old = middle
  }
  return changed
}

const offsetAt = (zone: string, momentMs: number): number => {
  const format = formatOf(zone)
  if (format === null) throw new Error('this is no time zone')
  const parts = new Map(format.formatToParts(momentMs).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return wall - 1_000 * Math.floor(momentMs / 1_000)
}

// There are about 600 names; most organisations use a few.
const maxFormats = schedulesBounds.zonesKnown.count

const formatOf = rememberRecent(maxFormats, (zone): Intl.DateTimeFormat | null => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return null
  }
})

import { uuidFloor, uuidTimeMs } from '@ars/platform/id'

/** Ids that lie between two, neither of them included. Ids begin with their time, so this is a stretch of time too. */
export type IdRange = { from: string; to: string }

export type Bounds = {
  after: string | null
  before: string | null
  createdAfter: Date | null
  createdBefore: Date | null
}

/** Where the ids of a page can lie, in the pieces in which it is looked through, the one where the page begins first. */
export const stretchesOf = (page: Bounds, now: Date): IdRange[] => {
  const range = rangeOf(page, now)
  const isUpwards = page.before !== null
  const beginMs = isUpwards ? uuidTimeMs(range.from) : Math.min(uuidTimeMs(range.to), now.getTime())
  const borders = stretchMs.map((ms) => (isUpwards ? dayAbove(beginMs + ms) : dayBelow(beginMs - ms)))
  const cuts = borders.filter((border) => border > range.from && border < range.to)
  const ends = isUpwards ? [range.from, ...cuts, range.to] : [range.to, ...cuts, range.from]
  return ends
    .slice(1)
    .map((end, at) => ({ begin: ends[at] ?? end, end }))
    .map(({ begin, end }) => (isUpwards ? { from: begin, to: end } : { from: end, to: begin }))
    .filter(({ from, to }) => from < to)
}

/** What is left of a range when it has been looked through up to an id. */
export const restOf = ({ before }: Bounds, { from, to }: IdRange, last: string): IdRange =>
  before === null ? { from, to: last } : { from: last, to }

/** The least id of a day before this one. */
export const dayBefore = (id: string): string => floorOf(uuidTimeMs(id) - dayMs)

const dayMs = 86_400_000

// Most pages lie within hours of where they begin; what few things fit are looked for over all time. The borders are those
// of the day partitions, so that no more of them are opened than need be.
const stretchMs = [dayMs / 4, 8 * dayMs]
const dayBelow = (ms: number): string => floorOf(Math.floor(ms / dayMs) * dayMs)
const dayAbove = (ms: number): string => floorOf(Math.ceil(ms / dayMs) * dayMs)

// No gateway's clock is a day ahead of another's; the partitions of the weeks to come need not be looked into.
const aheadMs = dayMs

// An id begins with the time at which a gateway made it; the date of what it names is the database's. They differ by little.
export const clockSlackMs = 60_000

export const lowestId = '00000000-0000-0000-0000-000000000000'

const rangeOf = ({ after, before, createdAfter, createdBefore }: Bounds, now: Date): IdRange => {
  const lows = [before, createdAfter && floorOf(createdAfter.getTime() - clockSlackMs)]
  const highs = [after, createdBefore && floorOf(createdBefore.getTime() + clockSlackMs)]
  return {
    from: lows.reduce<string>((least, low) => (low !== null && low > least ? low : least), lowestId),
    to: highs.reduce<string>(
      (most, high) => (high !== null && high < most ? high : most),
      floorOf(now.getTime() + aheadMs),
    ),
  }
}

const timeMsMost = 2 ** 48 - 1

/** No id is its own floor, so nothing lies on a border. */
export const floorOf = (ms: number): string => uuidFloor(new Date(Math.min(Math.max(0, ms), timeMsMost)))

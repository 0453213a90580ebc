import { platformBounds } from './bounds.ts'
import { uuidFloor, uuidTimeMs } from './id.ts'

/** An exclusive range of ids. Ids begin with their time, so it is also a range of time. */
export type IdRange = { from: string; to: string }

export type Bounds = {
  after: string | null
  before: string | null
  createdAfter: Date | null
  createdBefore: Date | null
}

/** The ranges to search for a page, in order, starting with the range that contains the beginning of the page. */
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

/** The rest of a range after it was searched up to an id. */
export const restOf = ({ before }: Bounds, { from, to }: IdRange, last: string): IdRange =>
  before === null ? { from, to: last } : { from: last, to }

/** The smallest id of a day before this one. */
export const dayBefore = (id: string): string => floorOf(uuidTimeMs(id) - dayMs)

const dayMs = 86_400_000

// Most pages lie within hours of their start; rare matches are searched over all time. The borders match the day
// partitions, so that no more partitions are opened than necessary.
const stretchMs = [dayMs / 4, 8 * dayMs]
const dayBelow = (ms: number): string => floorOf(Math.floor(ms / dayMs) * dayMs)
const dayAbove = (ms: number): string => floorOf(Math.ceil(ms / dayMs) * dayMs)

// No clock of a gateway is a day ahead, so partitions of later weeks are not searched.
const aheadMs = dayMs

// An id contains the time of the gateway, while `created_at` is the time of the database. They differ slightly.
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

const maxTimeMs = platformBounds.idTime.ms

/** No id equals its floor, so no id lies on a border. */
export const floorOf = (ms: number): string => uuidFloor(new Date(Math.min(Math.max(0, ms), maxTimeMs)))

/** The smallest and the largest of some ids. A statement that names them opens only the partitions between them. */
export const idBounds = (ids: readonly string[]): { firstId: string | null; lastId: string | null } => {
  const sorted = ids.toSorted()
  return { firstId: sorted[0] ?? null, lastId: sorted.at(-1) ?? null }
}

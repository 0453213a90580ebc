import { uuidFloor } from '@ars/platform/id'

/** Ids that lie between two, neither of them included. A statement that names them opens the partitions of that time only. */
export type IdWindow = { from: string; to: string }

/** The ids of what was created between two moments; null: no bound. */
export const idsWithin = ({ since, until }: { since: Date | null; until: Date | null }): IdWindow => ({
  from: since === null ? lowest : floorOf(since.getTime() - clockSlackMs),
  to: until === null ? highest : floorOf(until.getTime() + clockSlackMs),
})

/** What is left of a window when only ids that follow, or precede, these are asked for. */
export const narrow = ({ from, to }: IdWindow, bounds: { above: string | null; below: string | null }): IdWindow => ({
  from: bounds.above !== null && bounds.above > from ? bounds.above : from,
  to: bounds.below !== null && bounds.below < to ? bounds.below : to,
})

/** What was made because of this thing, and so after it, has no lower id. */
export const firstIdAfter = ({ id, created_at }: { id: string; created_at: Date }): string => {
  const floor = floorOf(created_at.getTime() - clockSlackMs)
  return floor < id ? floor : id
}

/** When an id was made. */
export const timeOf = (uuid: string): Date => new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16))

export const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const lowest = '00000000-0000-0000-0000-000000000000'

// An id begins with the time of the process that made it, a date is the database's. They differ by little.
const clockSlackMs = 60_000
const timeMsMost = 2 ** 48 - 1

const floorOf = (ms: number): string => uuidFloor(new Date(Math.min(Math.max(0, ms), timeMsMost)))

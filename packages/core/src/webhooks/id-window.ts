import { uuidTimeMs } from '@ars/platform/id'
import { clockSlackMs, floorOf, type IdRange, lowestId } from '../id-range.ts'

/** The ids of what was created between two moments; null: no bound. */
export const idsWithin = ({ since, until }: { since: Date | null; until: Date | null }): IdRange => ({
  from: since === null ? lowestId : floorOf(since.getTime() - clockSlackMs),
  to: until === null ? highest : floorOf(until.getTime() + clockSlackMs),
})

/** What is left of a window when only ids that follow, or precede, these are asked for. */
export const narrow = ({ from, to }: IdRange, bounds: { above: string | null; below: string | null }): IdRange => ({
  from: bounds.above !== null && bounds.above > from ? bounds.above : from,
  to: bounds.below !== null && bounds.below < to ? bounds.below : to,
})

/** What was made because of this thing, and so after it, has no lower id. */
export const firstIdAfter = ({ id, created_at }: { id: string; created_at: Date }): string => {
  const floor = floorOf(created_at.getTime() - clockSlackMs)
  return floor < id ? floor : id
}

/** When an id was made. */
export const timeOf = (uuid: string): Date => new Date(uuidTimeMs(uuid))

export const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

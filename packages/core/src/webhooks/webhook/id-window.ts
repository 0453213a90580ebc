import { uuidTimeMs } from '@ars/platform/id'
import { clockSlackMs, floorOf, type IdRange, lowestId } from '@ars/platform/id-range'

/** The ids of things created between two times. Null: no bound. */
export const idsWithin = ({ since, until }: { since: Date | null; until: Date | null }): IdRange => ({
  from: since === null ? lowestId : floorOf(since.getTime() - clockSlackMs),
  to: until === null ? highest : floorOf(until.getTime() + clockSlackMs),
})

/** The rest of a window after or before the given ids. */
export const narrow = ({ from, to }: IdRange, bounds: { above: string | null; below: string | null }): IdRange => ({
  from: bounds.above !== null && bounds.above > from ? bounds.above : from,
  to: bounds.below !== null && bounds.below < to ? bounds.below : to,
})

/** Things that were created because of this one have no lower id. */
export const firstIdAfter = ({ id, created_at }: { id: string; created_at: Date }): string => {
  const floor = floorOf(created_at.getTime() - clockSlackMs)
  return floor < id ? floor : id
}

/** The time at which an id was made. */
export const timeOf = (uuid: string): Date => new Date(uuidTimeMs(uuid))

export const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

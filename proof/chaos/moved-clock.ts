import { moveDatabaseClock } from '@ars/testkit/clock'
import type { Stage } from './scenario.ts'

/** Plays with a clock of the database that can be moved. Afterwards it is right again, and nobody else worked meanwhile. */
export const withMovedClock = async <Found>(
  { fleet }: Pick<Stage, 'fleet'>,
  play: (move: (ms: number) => Promise<void>) => Promise<Found>,
): Promise<Found> => {
  const ownerUrl = fleet.stack.postgres.url('ars_owner')
  // Days of the database would be too long for whatever is under way.
  const resume = await fleet.neighbour.pause()
  let offsetMs = 0
  const move = async (ms: number): Promise<void> => {
    offsetMs = await moveDatabaseClock(ownerUrl, Math.round(ms))
  }
  try {
    return await play(move)
  } finally {
    await move(-offsetMs)
    resume()
  }
}

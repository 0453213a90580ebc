import { partitionOf } from './partition.ts'

/** What the engine says of an invocation. */
export type Known = { status: string; partition_key: number }

const alive = new Set(['pending', 'scheduled', 'ready', 'running', 'backing-off', 'suspended'])

/** Unknown, ended or paused there while the run is active here; or on a partition that stands still. */
export const isLost = (
  invocation: Known | undefined,
  standing: ReadonlySet<number>,
  partitionCount: number,
): boolean => {
  if (!invocation || !alive.has(invocation.status)) return true
  return standing.has(partitionOf(invocation.partition_key, partitionCount))
}

/** A partition must have kept silent for so many rounds of canaries. */
const silentRoundsMost = 3

/**
 * The partitions that stand still: silent for several rounds, while another one answers. When all are silent it is the
 * engine that is away or late, and to give it everything once more would only make it later.
 */
export const standingOf = (silentRounds: ReadonlyMap<number, number>): ReadonlySet<number> => {
  if (![...silentRounds.values()].includes(0)) return new Set()
  return new Set([...silentRounds].filter(([, rounds]) => rounds >= silentRoundsMost).map(([partition]) => partition))
}

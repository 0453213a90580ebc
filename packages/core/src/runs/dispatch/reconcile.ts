import { runsBounds } from '../bounds.ts'
import { partitionOf } from './engine-partition.ts'

/** The engine's view of an invocation. */
export type Invocation = { status: string; partition_key: number }

const alive = new Set(['pending', 'scheduled', 'ready', 'running', 'backing-off', 'suspended'])

/**
 * Unknown, ended or paused in the engine while the run is active here, or on a stuck partition. One that backs off is
 * judged by `lossOf`.
 */
export const isLost = (
  invocation: Invocation | undefined,
  upPartitions: ReadonlySet<number>,
  partitionCount: number,
): boolean => {
  if (!invocation || !alive.has(invocation.status)) return true
  return upPartitions.has(partitionOf(invocation.partition_key, partitionCount))
}

/** How many probe rounds a partition must have been silent. */
const maxSilentRounds = runsBounds.silentRounds.count

/**
 * The stuck partitions: silent for several rounds while another one answers. When all are silent, the engine is down
 * or slow, and sending everything again would make it slower.
 */
export const upPartitionsOf = (silentRounds: ReadonlyMap<number, number>): ReadonlySet<number> => {
  if (![...silentRounds.values()].includes(0)) return new Set()
  return new Set([...silentRounds].filter(([, rounds]) => rounds >= maxSilentRounds).map(([partition]) => partition))
}

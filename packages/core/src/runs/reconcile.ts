import { partitionOf } from './partition.ts'

/** What the engine says of an invocation. */
export type Known = { status: string; partition_key: number }

const alive = new Set(['pending', 'scheduled', 'ready', 'running', 'backing-off', 'suspended'])

/** Unknown, ended or paused there while the run is active here; or on a partition whose canary does not answer. */
export const isLost = (
  invocation: Known | undefined,
  partitions: ReadonlyMap<number, number | null>,
  partitionCount: number,
): boolean => {
  if (!invocation || !alive.has(invocation.status)) return true
  return partitions.get(partitionOf(invocation.partition_key, partitionCount)) === null
}

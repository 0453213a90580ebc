import type { Durability, Writes } from '../../lab/measure/durability.ts'
import type { Side } from '../../lab/measure/load.ts'
import type { Comparison } from '../../lab/measure/rounds.ts'
import type { Correctness } from './correctness.ts'
import type { RunsOptions } from './options.ts'

/** All that the report tells. */
export type RunsMetrics = {
  options: RunsOptions
  startedAt: Date
  durability: Durability
  /** The control against itself, by callers. */
  itself: Map<number, Comparison>
  throughput: Map<number, Comparison>
  oneCaller: Comparison
  /** Steady arrivals at half of what the service can take. */
  steady: { ratePerSecond: number; comparison: Comparison }
  writes: Record<Side, WritesPerRun>
  correctness: Correctness
}

export type WritesPerRun = {
  runs: number
  writes: Writes
}

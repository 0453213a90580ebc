import type { Correctness } from './correctness.ts'
import type { Durability, Writes } from './durability.ts'
import type { Side } from './load-protocol.ts'
import type { Comparison } from './rounds.ts'
import type { RunsOptions } from './runs-options.ts'

/** All that the report tells. */
export interface RunsFigures {
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

export interface WritesPerRun {
  runs: number
  writes: Writes
}

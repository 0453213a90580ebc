import { sha256 } from '@ars/platform/crypto'

/** Buckets are hundredths of a percent. */
const bucketCount = 10_000
const bucketsPerPercent = bucketCount / 100

export type Side = 'live' | 'canary'

/**
 * The side of a canary that a run is assigned to. `key` is the run's idempotency key, or its UUID if it has none: the
 * result depends on nothing else, so every gateway decides alike, and a repeated request gets the same side.
 */
export const sideOf = (agent: string, key: string, canaryPercent: number): Side =>
  bucketOf(agent, key) < canaryPercent * bucketsPerPercent ? 'canary' : 'live'

/**
 * 0 to 9,999, from `agent` (a UUID) and `key`. The canary has the lowest buckets: a larger share adds buckets and
 * removes none. The agent is part of the hash, so that the same customers are not first on every agent.
 */
export const bucketOf = (agent: string, key: string): number => sha256(`${agent}:${key}`).readUInt32BE(0) % bucketCount

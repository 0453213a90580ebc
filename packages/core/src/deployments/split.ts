import { sha256 } from '@ars/platform/crypto'

/** Buckets are hundredths of a percent. */
const bucketCount = 10_000
const bucketsPerPercent = bucketCount / 100

export type Side = 'live' | 'canary'

/**
 * On which side of a canary a run falls. `key` is the run's idempotency key, or its UUID where it has none: it depends on
 * nothing else, so every gateway decides alike, and a repeated request falls where the first one did.
 */
export const sideOf = (agent: string, key: string, canaryPercent: number): Side =>
  bucketOf(agent, key) < canaryPercent * bucketsPerPercent ? 'canary' : 'live'

/**
 * 0 to 9,999, of `agent` (a UUID) and `key`. The canary has the lowest buckets: a larger share takes more of them and gives
 * none back. The agent is part of it, so that the same customers are not first in line everywhere.
 */
export const bucketOf = (agent: string, key: string): number => sha256(`${agent}:${key}`).readUInt32BE(0) % bucketCount

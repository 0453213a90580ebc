/*
 * The generic cell rate algorithm as a leaky bucket: used units expire with time, and a request passes while there is
 * room. All numbers are integers: time in microseconds, used units in 60-millionths of a request, so that each
 * microsecond frees as many units as requests are allowed in a minute. The Redis script (`bucket-script.ts`) does the
 * same arithmetic; a test compares the two.
 */

/** The units of one request. The largest burst is 6e14 units, which a float represents exactly. */
export const unitsPerRequest = 60_000_000

export type Level = {
  /** Used units, … */
  readonly used: number
  /** … and the time at which they were counted. */
  readonly atUs: number
}

export type Size = {
  readonly requestsPerMinute: number
  readonly burst: number
  /** How many requests one counts for: 2 when two gateways share a limit without seeing each other's requests. */
  readonly weight: number
}

export const emptyLevel: Level = { used: 0, atUs: 0 }

/** The used units now. A clock that went backwards changes nothing. */
export const levelAt = ({ used, atUs }: Level, requestsPerMinute: number, nowUs: number): number =>
  Math.max(0, used - Math.max(0, nowUs - atUs) * requestsPerMinute)

/** Asks for one request. A rejected request leaves the bucket unchanged. */
export const take = (level: Level, size: Size, nowUs: number): { allowed: boolean; level: Level } => {
  const used = levelAt(level, size.requestsPerMinute, nowUs)
  const filled = used + costOf(size)
  if (filled > size.burst * unitsPerRequest) return { allowed: false, level: { used, atUs: nowUs } }
  return { allowed: true, level: { used: filled, atUs: nowUs } }
}

export type Reading = {
  /** Requests that would pass now. */
  readonly remaining: number
  /** Time until the next request passes. 0: it passes now. */
  readonly nextUs: number
}

export const read = (used: number, size: Size): Reading => {
  const room = size.burst * unitsPerRequest - used
  return {
    remaining: Math.max(0, Math.floor(room / costOf(size))),
    nextUs: Math.max(0, Math.ceil((costOf(size) - room) / size.requestsPerMinute)),
  }
}

// A burst smaller than the number of gateways would reject everything; then one request takes all of it.
const costOf = ({ weight, burst }: Size): number => Math.min(weight, burst) * unitsPerRequest

/*
 * The generic cell rate algorithm, in its form of a leaky bucket: what was used runs out with time, and a request passes
 * while there is room for it. Everything is a whole number: time in microseconds, and what was used in 60-millionths of a
 * request, so that a microsecond takes away exactly as many as requests are allowed in a minute. The script for Redis
 * (`bucket-script.ts`) does the same sums; a test holds the two against each other.
 */

/** What a request fills. The largest burst fills 6e14, which a float still counts exactly. */
export const unitsPerRequest = 60_000_000

export type Level = {
  /** How full it was, in units, … */
  readonly used: number
  /** … and when. */
  readonly atUs: number
}

export type Size = {
  readonly requestsPerMinute: number
  readonly burst: number
  /** How many requests one counts for: 2 where two gateways share a limit and do not know of each other. */
  readonly weight: number
}

export const emptyLevel: Level = { used: 0, atUs: 0 }

/** How full it is now. A clock that went backwards takes nothing away and adds nothing. */
export const levelAt = ({ used, atUs }: Level, requestsPerMinute: number, nowUs: number): number =>
  Math.max(0, used - Math.max(0, nowUs - atUs) * requestsPerMinute)

/** Asks for one request. A refused one leaves the bucket as it was. */
export const take = (level: Level, size: Size, nowUs: number): { allowed: boolean; level: Level } => {
  const used = levelAt(level, size.requestsPerMinute, nowUs)
  const filled = used + costOf(size)
  if (filled > size.burst * unitsPerRequest) return { allowed: false, level: { used, atUs: nowUs } }
  return { allowed: true, level: { used: filled, atUs: nowUs } }
}

export type Reading = {
  /** Requests that would pass at once. */
  readonly remaining: number
  /** Until it is empty of use, and everything can be asked for again. */
  readonly fullUs: number
  /** Until the next request passes; 0: it passes now. */
  readonly nextUs: number
}

export const read = (used: number, size: Size): Reading => {
  const room = size.burst * unitsPerRequest - used
  return {
    remaining: Math.max(0, Math.floor(room / costOf(size))),
    fullUs: Math.ceil(used / size.requestsPerMinute),
    nextUs: Math.max(0, Math.ceil((costOf(size) - room) / size.requestsPerMinute)),
  }
}

// A burst smaller than the number of gateways would shut everybody out; then one request takes all of it.
const costOf = ({ weight, burst }: Size): number => Math.min(weight, burst) * unitsPerRequest

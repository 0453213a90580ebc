export type Interval = 'minute' | 'hour' | 'day'
export type Width = 'minute' | 'quarter' | 'hour' | 'day'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The longest period of each interval: about 1,500 points. */
export const longestMs: Readonly<Record<Interval, number>> = { minute: dayMs, hour: 62 * dayMs, day: 400 * dayMs }

/** The interval of a period without one: at most 400 points. */
export const intervalFor = (periodMs: number): Interval => {
  if (periodMs <= 6 * hourMs) return 'minute'
  return periodMs <= 14 * dayMs ? 'hour' : 'day'
}

/**
 * The widest rows that a series can be cut from. Only minutes and quarters tell versions and API keys apart. Days of other time
 * zones are cut from hours, or from quarters where the zone differs from UTC by a part of an hour.
 */
export const widthFor = (
  interval: Interval,
  { isDetailed, hasWholeHours, isUtc }: { isDetailed: boolean; hasWholeHours: boolean; isUtc: boolean },
): Width => {
  if (interval === 'minute') return 'minute'
  if (isDetailed || !hasWholeHours) return 'quarter'
  return interval === 'day' && isUtc ? 'day' : 'hour'
}

/** Which figures: those of the organisation, or of some agents, of a version and of an API key. */
export type RowFilter = { agentIds: readonly string[] | null; agentVersion: number | null; apiKeyId: string | null }

export const isWhole = ({ agentIds, agentVersion, apiKeyId }: RowFilter): boolean =>
  agentIds === null && agentVersion === null && apiKeyId === null

export const isDetailed = ({ agentVersion, apiKeyId }: RowFilter): boolean => agentVersion !== null || apiKeyId !== null

/** Time ranges in the address. A relative one stays relative, such as `-24h`, until a request makes it absolute. */
export type RangeSearch = { created_after?: string | undefined; created_before?: string | undefined }

export const relativeRanges = [
  ['-15m', 'Last 15 minutes'],
  ['-1h', 'Last hour'],
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
] as const

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The ISO time of `-24h` or of a time. Undefined for anything else. */
export const absoluteTime = (value: string | undefined, nowMs: number): string | undefined => {
  if (value === undefined) return undefined
  const [, amount, unit = ''] = /^-(\d{1,5})([mhd])$/.exec(value) ?? []
  const ms = amount === undefined ? Date.parse(value) : nowMs - Number(amount) * (unitMs[unit] ?? 0)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

/** The bounds of a request. A bound that is not readable is dropped. */
export const absoluteRange = (
  { created_after, created_before }: RangeSearch,
  nowMs: number,
): { created_after?: string; created_before?: string } => {
  const after = absoluteTime(created_after, nowMs)
  const before = absoluteTime(created_before, nowMs)
  return {
    ...(after !== undefined && { created_after: after }),
    ...(before !== undefined && { created_before: before }),
  }
}

/** What the select of a range shows: `any`, a relative range, or `own`. */
export const rangeChoice = ({ created_after, created_before }: RangeSearch): string => {
  if (created_after === undefined && created_before === undefined) return 'any'
  const known = relativeRanges.find(([value]) => value === created_after)
  return known && created_before === undefined ? known[0] : 'own'
}

/** The value of a `datetime-local` input. */
export const toLocalInput = (iso: string | undefined, isUtc: boolean): string => {
  const ms = iso === undefined ? Number.NaN : Date.parse(iso)
  if (Number.isNaN(ms)) return ''
  const offsetMs = isUtc ? 0 : new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

/** The ISO time of a `datetime-local` input. Undefined while it is empty. */
export const fromLocalInput = (value: string, isUtc: boolean): string | undefined => {
  const ms = value === '' ? Number.NaN : Date.parse(isUtc ? `${value}Z` : value)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

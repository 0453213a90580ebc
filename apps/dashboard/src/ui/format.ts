/** Numbers, durations and times in words. `–` stands for an absent value. */
export const duration = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return parts(minutes, 'min', Math.round((ms % 60_000) / 1_000), 's')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? parts(hours, 'h', minutes % 60, 'min') : parts(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** `10 min`, not `10 min 0 s`. */
const parts = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`

const counts = new Intl.NumberFormat('en')
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : counts.format(value)

/** A quota of this many runs a month or more is none (`Usage.calls.limit` of the API). */
const unlimitedCalls = 1_000_000_000_000
export const hasQuota = ({ limit }: { limit: number }): boolean => limit < unlimitedCalls

const shortCounts = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** `12.3K`, `4M`. For axes and figures whose last digits nobody reads. */
export const shortCount = (value: number): string => shortCounts.format(value)

/** A share from 0 to 1. */
export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined ? '–' : `${(share * 100).toFixed(digits)} %`

export const usd = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–'
  if (value === 0) return '$0'
  if (value >= 1_000) return `$${counts.format(Math.round(value))}`
  if (value >= 10) return `$${value.toFixed(2)}`
  return value < 0.01 ? `$${value.toFixed(5)}` : `$${value.toFixed(3)}`
}

export const bytes = (value: number): string => {
  if (value < 1_024) return `${value} B`
  if (value < 1_048_576) return `${(value / 1_024).toFixed(1)} KB`
  return value < 1_073_741_824 ? `${(value / 1_048_576).toFixed(1)} MB` : `${(value / 1_073_741_824).toFixed(1)} GB`
}

/** `run_…687nk7`. */
export const shortId = (id: string): string => {
  const at = id.indexOf('_') + 1
  return id.length - at <= 8 ? id : `${id.slice(0, at)}…${id.slice(-6)}`
}

/** The time to the second; the date too if it is not today. */
export const moment = (iso: string, zone: string | undefined, nowMs: number): string => {
  const date = new Date(iso)
  const day = dayFormat(zone)
  const time = clockFormat(zone).format(date)
  return day.format(date) === day.format(nowMs) ? time : `${day.format(date)}, ${time}`
}

/** `3 min ago`, `in 6 d`. */
export const distance = (iso: string, nowMs: number): string => {
  const ms = Date.parse(iso) - nowMs
  const size = Math.abs(ms)
  const [unit, per] = units.find(([, each]) => size >= each) ?? ['second', 1_000]
  return relative.format(Math.round(ms / per), unit)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (kind: string, zone: string | undefined, options: Intl.DateTimeFormatOptions) => {
  const key = `${kind} ${zone}`
  const made = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, ...(zone && { timeZone: zone }) })
  formats.set(key, made)
  return made
}
const dayFormat = (zone: string | undefined) =>
  formatOf('day', zone, { year: 'numeric', month: 'short', day: 'numeric' })
const clockFormat = (zone: string | undefined) =>
  formatOf('clock', zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

import { CommandError } from './exit-code.ts'

/** Parses `2h`, `10m`, `30s`, `7d`, `1w` ago, or a time such as `2026-11-15T10:00:00Z`, into the format of the API. */
export const readMoment = (text: string, nowMs: number): string => {
  const ago = /^(\d{1,6})(s|m|h|d|w)$/.exec(text)
  if (ago) return new Date(nowMs - Number(ago[1]) * unitMs[ago[2] as keyof typeof unitMs]).toISOString()
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : undefined
  if (!moment || Number.isNaN(moment.getTime())) {
    throw new CommandError(`${JSON.stringify(text)} is not a time`, {
      advice: 'Use a duration (30s, 10m, 2h, 7d) or a date and time (2026-11-15T10:00:00Z).',
    })
  }
  return moment.toISOString()
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** The local time of day. */
export const timeOfDay = (moment: string | Date): string =>
  new Date(moment).toLocaleTimeString('en-GB', { hour12: false })

/** The local date and time, to the second. */
export const localTime = (moment: string | null): string => {
  if (moment === null) return ''
  const date = new Date(moment)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeOfDay(date)}`
}

export const duration = (ms: number | null): string => {
  if (ms === null) return ''
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Parses `90s`, `15m`, `2h`, `1d`, `1w` into seconds. Null: it is none of these. */
export const readSeconds = (text: string): number | null => {
  const [, count, unit] = /^(\d{1,6})(s|m|h|d|w)$/.exec(text) ?? []
  return unit === undefined ? null : (Number(count) * unitMs[unit as keyof typeof unitMs]) / 1_000
}

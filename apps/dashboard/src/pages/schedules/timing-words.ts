import { duration } from '../../ui/format.ts'

/** The timing of a schedule: one of the three is set. */
export type Timing = {
  cron: string | null
  time_zone?: string | null
  interval_seconds: number | null
  once_at: string | null
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** `Every day at 09:00 (Europe/Berlin)`. A cron expression without simple words stands as it is. */
export const timingWords = ({ cron, time_zone, interval_seconds, once_at }: Timing): string => {
  if (interval_seconds !== null) return `Every ${spanWords(interval_seconds)}`
  if (once_at !== null) return 'Once'
  if (cron === null) return 'No timing'
  return `${cronWords(cron)} (${time_zone ?? 'UTC'})`
}

const spanWords = (seconds: number): string => {
  for (const [size, word] of [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const) {
    if (seconds % size !== 0) continue
    const amount = seconds / size
    return amount === 1 ? word : `${amount} ${word}s`
  }
  return duration(seconds * 1_000)
}

export const cronWords = (cron: string): string => {
  const fields = cron.trim().split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const asItIs = `Cron ${cron.trim()}`
  if (fields.length !== 5) return asItIs
  const isDaily = day === '*' && month === '*' && weekday === '*'
  const each = /^\*\/(\d{1,2})$/.exec(minute)?.[1]
  if (isDaily && hour === '*') {
    if (minute === '*') return 'Every minute'
    if (each !== undefined) return Number(each) === 1 ? 'Every minute' : everyMinutes(Number(each), asItIs)
    return isNumber(minute, 59) ? `Every hour at minute ${Number(minute)}` : asItIs
  }
  if (!isNumber(minute, 59) || !isNumber(hour, 23)) return asItIs
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (isDaily) return `Every day at ${time}`
  if (day === '*' && month === '*') {
    const named = weekdayWords(weekday)
    return named === null ? asItIs : `${named} at ${time}`
  }
  if (weekday !== '*' || !isNumber(day, 31)) return asItIs
  if (month === '*') return `On day ${Number(day)} of each month at ${time}`
  const name = isNumber(month, 12) ? months[Number(month) - 1] : undefined
  return name === undefined ? asItIs : `Every year on ${Number(day)} ${name} at ${time}`
}

/** `*\/7` begins anew at each full hour, so it is not every 7 minutes. */
const everyMinutes = (minutes: number, otherwise: string): string =>
  minutes > 0 && 60 % minutes === 0 ? `Every ${minutes} minutes` : otherwise

const isNumber = (field: string, max: number): boolean => /^\d{1,2}$/.test(field) && Number(field) <= max

const weekdayWords = (field: string): string | null => {
  const [, from, to] = /^([0-7])-([0-7])$/.exec(field) ?? []
  if (from !== undefined && to !== undefined) return `${dayOf(from)} to ${dayOf(to)}`
  if (!/^[0-7](,[0-7])*$/.test(field)) return null
  const names = field.split(',').map(dayOf)
  return names.length === 1 ? `Every ${names[0]}` : `Every ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

const dayOf = (digit: string): string => days[Number(digit) % 7] ?? digit

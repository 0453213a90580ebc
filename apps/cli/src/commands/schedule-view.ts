import type { Schedule } from '@agent-run-service/sdk'
import { localTime } from '../moment.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean } from '../text.ts'

export const timingText = ({ cron, time_zone, interval_seconds, once_at }: Schedule): string => {
  if (cron !== null) return `${cron} ${time_zone ?? 'UTC'}`
  return interval_seconds === null ? `once at ${localTime(once_at)}` : `every ${intervalText(interval_seconds)}`
}

/** In the largest unit that gives a whole number. */
const intervalText = (seconds: number): string => {
  const [name, size] = units.find(([, each]) => seconds % each === 0) ?? ['s', 1]
  return `${seconds / size} ${name}`
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

export const describeSchedule = (terminal: Terminal, schedule: Schedule): string => {
  const { monthly_budget_usd: budget, next_dates: next } = schedule
  const head = fields([
    ['id', schedule.id],
    ['name', clean(schedule.name)],
    ['status', terminal.paint(statusStyle(schedule.status), schedule.status)],
    ['paused', schedule.pause_reason && `${schedule.pause_reason}, ${localTime(schedule.paused_at)}`],
    ['timing', timingText(schedule)],
    ['target', schedule.agent_id ?? schedule.pipeline_id],
    ['missed', schedule.missed],
    ['overlap', schedule.overlap],
    ['budget', budget === null ? null : `$${schedule.spent_usd} of $${budget} in this month`],
    ['created by', schedule.created_by],
  ])
  return next.length === 0
    ? head
    : [head, ['Next dates (local time)', ...next.map((date) => `  ${localTime(date)}`)].join('\n')].join('\n\n')
}

/** After a change of its state. */
export const stateOfSchedule = ({ id, name, status, next_dates: [next] }: Schedule): string =>
  `${clean(name)} (${id}) is ${status}.${next === undefined ? '' : ` Its next date is ${localTime(next)}.`}`

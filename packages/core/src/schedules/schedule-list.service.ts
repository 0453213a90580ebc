import { setImmediate } from 'node:timers/promises'
import type { Schedule } from '@ars/contract'
import { type ScheduleRow, toWireSchedule } from './schedule.ts'

const pauseEvery = 10

/** The schedules of a page. Other requests are served in between, because the dates of a rare expression take milliseconds. */
export const toWireSchedules = async (rows: readonly ScheduleRow[], { now }: { now: Date }): Promise<Schedule[]> => {
  const schedules: Schedule[] = []
  for (const row of rows) {
    if (schedules.length % pauseEvery === 0) await setImmediate()
    schedules.push(toWireSchedule(row, { now }))
  }
  return schedules
}

import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { dueDates } from './due.ts'
import { lookAgain, takeStarted } from './due-firing.store.ts'
import { type DueSchedule, type NotedDates, noteDates, takeDueSchedules } from './due-schedule.store.ts'
import { firingLimits } from './firing.ts'
import { type FiringDeps, noticeEnds } from './firing-start.service.ts'
import { timingOf } from './schedule.ts'

type DateDeps = { system: Database; newId: IdMaker; log: Log }

/** Notes the dates that are due, as rows, before anything starts. A worker that dies in between has noted all dates of a schedule or none. */
export const scheduleDateSweep = ({ system, newId, log }: DateDeps): Sweep => ({
  name: 'schedule-dates',
  everyMs: 500,
  run: () =>
    whilePagesAreFull(firingLimits.schedulesPerLook, async () => {
      const due = await takeDueSchedules(system, { limit: firingLimits.schedulesPerLook })
      const noted = due.flatMap((schedule) => {
        try {
          return [datesOf(schedule, newId)]
        } catch (error) {
          // A schedule whose dates cannot be computed must not block the others. It is due again after its lease.
          log.error('dates of a schedule could not be computed', { schedule_id: fromUuid('sch', schedule.id), error })
          return []
        }
      })
      if (noted.length > 0) await noteDates(system, noted)
      return due.length
    }),
})

/** Notices that runs of firings have ended: it counts their cost, and wakes queued firings. */
export const scheduleEndSweep = (deps: Pick<FiringDeps, 'system' | 'app' | 'statesOf'>): Sweep => ({
  name: 'schedule-ends',
  everyMs: 2_000,
  run: () =>
    whilePagesAreFull(firingLimits.endsPerLook, async () => {
      const taken = await takeStarted(deps.system, { limit: firingLimits.endsPerLook })
      for (const [org, started] of Map.groupBy(taken, (each) => each.org)) {
        const { activeIds } = await noticeEnds(deps, org, started)
        if (activeIds.length > 0) await lookAgain(deps.app, org, activeIds)
      }
      return taken.length
    }),
})

const datesOf = (schedule: DueSchedule, newId: IdMaker): NotedDates => {
  const { id, claim, handled_until: after, missed: rule } = schedule
  // The clock of the database may have been set back. Dates that were handled do not come again.
  const until = new Date(Math.max(schedule.now.getTime(), after.getTime()))
  const { fire, missed, next } = dueDates(timingOf(schedule), { after, until, missed: rule })
  const firingOf = (date: Date, isSkipped: boolean) => ({
    id: toUuid(newId('fir')),
    date,
    missedFrom: missed && date <= missed.last ? missed.first : null,
    isSkipped,
  })
  const skipped = missed && !missed.isMadeUp ? [firingOf(missed.last, true)] : []
  return { id, claim, until, next, firings: [...skipped, ...fire.map((date) => firingOf(date, false))] }
}

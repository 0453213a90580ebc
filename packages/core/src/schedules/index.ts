import { toUuid } from '@ars/platform/id'
import { createWorkLoop } from '@ars/platform/work/loop'
import { usualBounds, type WorkMetrics } from '@ars/platform/work/queue'
import { recordEvent, wakingListener } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import { schedulesBounds } from './bounds.ts'
import { wakeFirings } from './due-firing.store.ts'
import { readScheduleLag } from './due-schedule.store.ts'
import { createFiringQueue, type FiringDeps } from './firing-start.service.ts'
import { scheduleDateSweep, scheduleEndSweep } from './schedule.sweep.ts'
import { firingShare } from './schedule.ts'

export type { FiringOutcome } from './firing-start.service.ts'
export { scheduleApi, scheduleReplays } from './schedule.api.ts'
export { createSchedules } from './schedule.service.ts'
export type { ScheduleTarget } from './schedule.ts'
export { createTargetStart } from './target-start.service.ts'

const firingBounds = {
  ...usualBounds,
  places: schedulesBounds.firingTurns.count,
  keptPlaces: schedulesBounds.firingTurnsKept.count,
  ...firingShare,
  idleMs: 500,
} as const

/** The worker's part of schedules. */
export const createScheduleWorker = (
  { system, steps: app, newId, clock, log }: Parts,
  { metrics, ...deps }: Pick<FiringDeps, 'start' | 'callerOf' | 'statesOf' | 'onFired'> & { metrics: WorkMetrics },
) => {
  const firing: FiringDeps = {
    ...deps,
    ...{ system, app, newId, log },
    onPaused: (tx, org, schedule) =>
      recordEvent(tx, org, {
        id: toUuid(newId('evt')),
        type: 'schedule.paused',
        subjectId: toUuid(schedule.id),
        data: schedule,
      }),
  }
  const loop = createWorkLoop(createFiringQueue(firing), firingBounds, { clock, log, metrics })
  return {
    /** The ends of runs and pipeline runs among the events make the firings due that waited for them. */
    onEvents: wakingListener(wakeFirings, loop.nudge),
    sweeps: [scheduleDateSweep({ system, newId, log }), scheduleEndSweep(firing)],
    loop,
    lagSeconds: () => readScheduleLag(system),
  }
}

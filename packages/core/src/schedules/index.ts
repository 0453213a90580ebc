import { toUuid } from '@ars/platform/id'
import { recordEvent } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import { readScheduleLag } from './due-schedule.store.ts'
import type { FiringDeps } from './firing-start.service.ts'
import { oldScheduleSweep, scheduleDateSweep, scheduleEndSweep, scheduleFiringSweep } from './schedule.sweep.ts'

export type { FiringOutcome } from './firing-start.service.ts'
export { scheduleApi, scheduleReplays } from './schedule.api.ts'
export { createSchedules } from './schedule.service.ts'
export type { ScheduleTarget } from './schedule.ts'
export { createTargetStart } from './target-start.service.ts'

/** The worker's part of schedules. */
export const createScheduleWorker = (
  { system, steps: app, newId, log }: Parts,
  deps: Pick<FiringDeps, 'start' | 'callerOf' | 'statesOf' | 'onFired'>,
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
  return {
    sweeps: [
      scheduleDateSweep({ system, newId, log }),
      scheduleFiringSweep(firing),
      scheduleEndSweep(firing),
      oldScheduleSweep({ system }),
    ],
    lagSeconds: () => readScheduleLag(system),
  }
}

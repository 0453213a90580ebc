import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { FiringDeps } from '../src/schedules/firing-start.service.ts'
import { createFiringQueue } from '../src/schedules/firing-start.service.ts'
import { scheduleDateSweep, scheduleEndSweep } from '../src/schedules/schedule.sweep.ts'
import type { FiringRow, ScheduleContent, ScheduleRow } from '../src/schedules/schedule.ts'
import { type FakeTargets, fakeTargets, openScheduleWorld, type ScheduleWorld } from './schedule-world.ts'

export type Row = FiringRow & { due_at: Date | null; number: number }

/** Schedules from noon on, and the sweeps over them. Its hooks belong to the file that calls it. */
export const scheduleSweepWorld = () => {
  const newId = createIdMaker(systemClock)
  // Today, because entries of the audit log need a partition.
  const noon = new Date(Math.floor(systemClock.now().getTime() / 86_400_000) * 86_400_000 + 43_200_000)
  const at = (seconds: number): Date => new Date(noon.getTime() + 1_000 * seconds)

  let world: ScheduleWorld
  let org: string
  let targets: FakeTargets
  let paused: string[]
  beforeAll(async () => {
    world = await openScheduleWorld(noon)
  })
  afterAll(() => world.close())
  beforeEach(async () => {
    // Schedules of other tests are not due.
    await world.sql('update schedules set due_at = null')
    await world.sql('delete from schedule_firings')
    org = await world.newOrg()
    targets = fakeTargets(noon)
    paused = []
    await moveTo(0)
  })

  const deps = (): FiringDeps => ({
    ...world,
    ...targets,
    newId,
    onPaused: async (_tx, _org, { id, pause_reason }) => {
      paused.push(`${id} ${pause_reason}`)
    },
  })
  const moveTo = async (seconds: number): Promise<void> => {
    targets.now = at(seconds)
    await world.setTime(at(seconds))
  }
  const look = async (): Promise<void> => {
    await scheduleDateSweep({ ...world, newId }).run()
    await workDue(createFiringQueue(deps()))
    await scheduleEndSweep(deps()).run()
  }
  /** Looks at each of these seconds. */
  const lookAt = async (...seconds: number[]): Promise<void> => {
    for (const second of seconds) {
      await moveTo(second)
      await look()
    }
  }
  const add = async (content: Partial<ScheduleContent>, inOrg = org): Promise<string> => {
    const id = toUuid(newId('sch'))
    await world.addSchedules([{ id, org: inOrg, from: at(0), interval_seconds: 60, ...content }])
    return id
  }
  const firingsOf = (id: string): Promise<Row[]> =>
    world.sql<Row>(
      `select id, schedule_id, kind, date, missed_from, status, code, run_id, pipeline_run_id, due_at, number, created_at, started_at, ended_at
         from schedule_firings where schedule_id = $1 order by number`,
      [id],
    )
  const outcomesOf = async (id: string): Promise<(string | null)[][]> =>
    (await firingsOf(id)).map(({ date, status, code }) => [
      String((date.getTime() - noon.getTime()) / 1_000),
      status,
      code,
    ])
  const scheduleOf = async (id: string): Promise<ScheduleRow> =>
    (
      await world.sql<ScheduleRow>(
        'select status, pause_code, paused_at, due_at, spent_usd::float8 as spent_usd from schedules where id = $1',
        [id],
      )
    )[0] as ScheduleRow

  return {
    deps,
    newId,
    at,
    moveTo,
    look,
    lookAt,
    add,
    firingsOf,
    outcomesOf,
    scheduleOf,
    get planted() {
      return world
    },
    get org() {
      return org
    },
    get targets() {
      return targets
    },
    get paused() {
      return paused
    },
  }
}

import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog, type Log } from '@ars/platform/log/log'
import { testCaller } from '@ars/testkit/caller'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import type { Caller, Creator } from '../src/ctx.ts'
import { nextDate } from '../src/schedules/due.ts'
import type { CallerOf, StartAnswer, StartTarget, TargetStates } from '../src/schedules/firing-start.service.ts'
import { type ScheduleContent, type ScheduleTarget, timingOf } from '../src/schedules/schedule.ts'
import { addOrganisation } from './add-organisation.ts'

const newId = createIdMaker(systemClock)

/** A database whose clock stands still until a test sets it, with schedules that are inserted without the service. */
export type ScheduleWorld = {
  app: Database
  system: Database
  log: Log
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  setTime(at: Date): Promise<void>
  newOrg(): Promise<string>
  addSchedules(schedules: readonly PlantedSchedule[]): Promise<void>
  close(): Promise<void>
}

export type PlantedSchedule = Partial<ScheduleContent> & { id: string; org: string; from: Date }

export const openScheduleWorld = async (start: Date): Promise<ScheduleWorld> => {
  const database: TestDatabase = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  const org = await addOrganisation(database)
  const open = (url: string, name: string) => openDatabase({ url, name, size: 6, acquireTimeoutMs: 30_000, log })
  const superuser = open(database.superuserUrl, 'test-superuser')
  const sql = <Row>(text: string, values: unknown[] = []) => superuser.once<Row>(null, { text, values })
  await sql('create table stopped_clock (at timestamptz not null)')
  await sql('grant select on stopped_clock to public')
  await sql('insert into stopped_clock values ($1)', [start])
  await sql(`create or replace function app_now() returns timestamptz language sql stable parallel safe
    return (select at from stopped_clock)`)
  const app = open(database.appUrl, 'test-app')
  const system = open(database.systemUrl, 'test-system')
  let first: string | undefined = org
  return {
    app,
    system,
    log,
    sql,
    setTime: async (at) => {
      await sql('update stopped_clock set at = $1', [at])
    },
    newOrg: async () => {
      const next = first ?? toUuid(newId('org'))
      if (first === undefined) await sql(`insert into organisations (id, name) values ($1, 'Test')`, [next])
      first = undefined
      return next
    },
    addSchedules: async (schedules) => {
      await sql(plant, [JSON.stringify(schedules.map(rowOf))])
    },
    close: async () => {
      await Promise.all([app.close(), system.close(), superuser.close()])
      await database.drop()
    },
  }
}

const rowOf = ({ id, org, from, ...content }: PlantedSchedule) => {
  const timing = {
    cron: content.cron ?? null,
    time_zone: content.cron ? (content.time_zone ?? 'UTC') : null,
    interval_seconds: content.interval_seconds ?? null,
    anchor_at: content.interval_seconds ? (content.anchor_at ?? from) : null,
    once_at: content.once_at ?? null,
  }
  return {
    id,
    org_id: org,
    ...timing,
    agent_id: content.agent_id ?? id,
    input: content.input ?? {},
    missed: content.missed ?? 'skip',
    overlap: content.overlap ?? 'allow',
    monthly_budget_usd: content.monthly_budget_usd ?? null,
    handled_until: from,
    due_at: nextDate(timingOf(timing), from),
  }
}

const plant = `insert into schedules (id, org_id, name, cron, time_zone, interval_seconds, anchor_at, once_at, agent_id, input, missed,
    overlap, monthly_budget_usd, created_by, created_by_type, handled_until, due_at)
  select id, org_id, 'planted', cron, time_zone, interval_seconds, anchor_at, once_at, agent_id, input, missed, overlap,
         monthly_budget_usd, id, 'key', handled_until, due_at
    from json_to_recordset($1::json) as r (id uuid, org_id uuid, cron text, time_zone text, interval_seconds integer,
      anchor_at timestamptz, once_at timestamptz, agent_id uuid, input json, missed text, overlap text, monthly_budget_usd numeric,
      handled_until timestamptz, due_at timestamptz)`

/** Starts targets in memory, each once for a key, as the service does. The tests say when a run ends. */
export type FakeTargets = {
  start: StartTarget
  callerOf: CallerOf
  statesOf: TargetStates
  /** By key. */
  readonly started: Map<string, { id: string; scheduleId: string; at: Date; endsAt: Date | null }>
  /** What the next starts answer, instead of starting. */
  refuse: ((target: ScheduleTarget) => StartAnswer | null) | null
  isGone: boolean
  scopes: ReadonlySet<string>
  costUsd: number
  durationMs: number | null
  now: Date
  end(key: string): void
}

export const fakeTargets = (now: Date): FakeTargets => {
  const byId = new Map<string, { endsAt: Date | null }>()
  const targets: FakeTargets = {
    started: new Map(),
    refuse: null,
    isGone: false,
    scopes: new Set(['runs:write']),
    costUsd: 0,
    durationMs: 0,
    now,
    end: (key) => {
      const run = targets.started.get(key)
      if (run) run.endsAt = targets.now
    },
    callerOf: async (org, { id }: Creator) =>
      targets.isGone ? null : ({ ...testCaller(org), actor: { type: 'key', id }, scopes: targets.scopes } as Caller),
    start: async (_caller, { target, key }) => {
      const before = targets.started.get(key)
      if (before) return { kind: 'started', id: before.id }
      const refusal = targets.refuse?.(target) ?? null
      if (refusal) return refusal
      const endsAt = targets.durationMs === null ? null : new Date(targets.now.getTime() + targets.durationMs)
      const run = { id: toUuid(newId('run')), scheduleId: target.id, at: targets.now, endsAt }
      targets.started.set(key, run)
      byId.set(run.id, run)
      return { kind: 'started', id: run.id }
    },
    statesOf: async (_org, started) =>
      new Map(
        started.map(({ id }) => {
          const endsAt = byId.get(id)?.endsAt ?? null
          return [id, { isActive: endsAt === null || endsAt > targets.now, costUsd: targets.costUsd }]
        }),
      ),
  }
  return targets
}

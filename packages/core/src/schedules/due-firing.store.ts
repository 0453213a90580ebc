import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ClaimedItem } from '@ars/platform/work/queue'
import type { EventBatch } from '../events/index.ts'
import { isAsleep, workRows } from '../work-rows.store.ts'
import { firingLimits } from './firing.ts'
import type { ScheduleRow, ScheduleTarget, TargetColumns } from './schedule.ts'
import { spendMonth, spentThisMonth } from './spend.sql.ts'

/** A firing that a worker holds. A worker with an older claim cannot settle it. */
export type ClaimedFiring = Pick<ClaimedItem, 'org' | 'id' | 'claim'>

/** Firings that wait to start. */
export const firingWork = workRows('schedule_firings', { where: `status in ('due', 'queued')` })

/** A run or pipeline run that a firing has started. */
export type StartedFiring = { id: string; target: ScheduleTarget }

// crosses organisations: a background job looks whether the runs of firings of all organisations have ended.
export const takeStarted = async (
  db: Database,
  { limit }: { limit: number },
): Promise<(StartedFiring & { org: string })[]> => {
  const { leaseSeconds, maxScanned } = firingLimits
  const rows = await db.once(null, takeOpen({ limit, leaseSeconds, maxScanned }))
  return rows.map((row) => ({ org: row.org_id, id: row.id, target: startedOf(row) }))
}

/** A firing with its schedule as it is now. */
export type FiringToStart = TargetColumns &
  Pick<
    ScheduleRow,
    'input' | 'metadata' | 'overlap' | 'monthly_budget_usd' | 'spent_usd' | 'created_by' | 'created_by_type'
  > & {
    id: string
    claim: number
    schedule_id: string
    kind: 'date' | 'request'
    date: Date
    status: 'due' | 'queued'
    start_by: Date | null
    earlier_due: number
    earlier_queued: number
    now: Date
    /** The firings whose run was not found to have ended. Only read where overlap or budget depend on them. */
    open: readonly StartedFiring[]
  }

/** Null: it is settled, or another worker has it. */
export const readFiring = async (
  db: Database,
  org: string,
  { id, claim }: ClaimedFiring,
): Promise<FiringToStart | null> => {
  const [row] = await db.once(org, read({ org, id, claim, maxOpen: firingLimits.maxOpen }))
  return row ? { ...row, open: row.open.map((each) => ({ id: each.id, target: startedOf(each) })) } : null
}

type Fence = Pick<ClaimedFiring, 'id' | 'claim'>

/** Stores what was started, also if the firing was skipped meanwhile. */
export const settleStarted = async (
  db: Database,
  org: string,
  { id, claim }: Fence,
  started: ScheduleTarget,
): Promise<void> => {
  const runId = started.kind === 'agent' ? started.id : null
  const pipelineRunId = started.kind === 'pipeline' ? started.id : null
  await db.once(org, start({ org, id, claim, runId, pipelineRunId, lookSeconds: firingLimits.endLookMinSeconds }))
}

export type SettledFiring = { status: 'skipped' | 'failed'; code: string }

export const settleFiring = async (
  db: Database,
  org: string,
  { id, claim }: Fence,
  settled: SettledFiring,
): Promise<void> => {
  await db.once(org, settle({ org, id, claim, ...settled }))
}

export const settleFiringIn = async (
  tx: Tx,
  org: string,
  { id, claim }: Fence,
  settled: SettledFiring,
): Promise<void> => {
  await tx.query(settle({ org, id, claim, ...settled }))
}

export const postponeFiring = async (
  db: Database,
  org: string,
  { id, claim }: Fence,
  { status, code, afterSeconds }: { status: 'due' | 'queued'; code: string | null; afterSeconds: number },
): Promise<void> => {
  await db.once(org, postpone({ org, id, claim, status, code, afterSeconds }))
}

/** The firing leaves the queue: from now on its time to start runs. False: another worker has it. */
export const leaveQueue = async (db: Database, org: string, { id, claim }: Fence): Promise<boolean> =>
  (
    await db.once(
      org,
      leave({
        org,
        id,
        claim,
        startWithinSeconds: firingLimits.startWithinSeconds,
        lookSeconds: firingLimits.queueLookSeconds,
      }),
    )
  ).length > 0

/** Stores that runs have ended and what they cost, each once, and wakes the firings that waited for them. */
export const endFirings = async (
  db: Database,
  org: string,
  ended: readonly { id: string; costUsd: number }[],
): Promise<void> => {
  const rows = JSON.stringify(ended.map(({ id, costUsd }) => ({ id, cost_usd: costUsd })))
  await db.once(org, end({ org, ended: rows }))
}

/** Makes the next firing of each schedule due whose run or pipeline run has ended. Answers how many. A firing that is not woken asks later. */
// crosses organisations: the events of a position batch belong to many organisations.
export const wakeFirings = async (tx: Tx, { ids, firstId, lastId }: EventBatch): Promise<number> =>
  (await tx.query(wake({ eventIds: ids, firstId, lastId }))).length

/** Looks again later at runs that have not ended, the later the longer they run. */
export const lookAgain = async (db: Database, org: string, ids: readonly string[]): Promise<void> => {
  const { endLookMinSeconds: minSeconds, endLookMaxSeconds: maxSeconds } = firingLimits
  await db.once(org, again({ org, ids, minSeconds, maxSeconds }))
}

type StartedRow = { id: string; run_id: string | null; pipeline_run_id: string | null }

const startedOf = ({ run_id, pipeline_run_id }: StartedRow): ScheduleTarget =>
  run_id === null ? { kind: 'pipeline', id: pipeline_run_id ?? '' } : { kind: 'agent', id: run_id }

type Look = { limit: number; leaseSeconds: number; maxScanned: number }

const takeOpen = statement<Look, StartedRow & { org_id: string }>(
  'firings.take_started',
  sql`with oldest as (
     select id, due_at, row_number() over (partition by org_id order by due_at) as turn
       from (select id, org_id, due_at from schedule_firings
              where status = 'started' and due_at <= app_now() order by due_at limit :maxScanned) due
   ), chosen as (
     select id from oldest order by turn, due_at limit :limit
   ), locked as (
     select f.id from schedule_firings f
      where f.id in (select id from chosen) and f.status = 'started' and f.due_at <= app_now() for update skip locked
   )
   update schedule_firings f set due_at = app_now() + make_interval(secs => :leaseSeconds::integer)
     from locked where f.id = locked.id
   returning f.id, f.org_id, f.run_id, f.pipeline_run_id`,
)

const earlier =
  'from schedule_firings e where e.schedule_id = f.schedule_id and e.ended_at is null and e.number < f.number'

const read = statement<One & { maxOpen: number }, Omit<FiringToStart, 'open'> & { open: StartedRow[] }>(
  'firings.read',
  sql`select f.id, f.claim, f.schedule_id, f.kind, f.date, f.status, f.start_by, s.agent_id, s.pipeline_id, s.input, s.metadata, s.overlap,
          s.monthly_budget_usd::float8 as monthly_budget_usd, ${spentThisMonth('s')} as spent_usd, s.created_by, s.created_by_type,
          (select count(*) ${earlier} and e.status = 'due')::integer as earlier_due,
          (select count(*) ${earlier} and e.status = 'queued')::integer as earlier_queued,
          (select coalesce(json_agg(json_build_object('id', o.id, 'run_id', o.run_id, 'pipeline_run_id', o.pipeline_run_id)), '[]')
             from (select e.id, e.run_id, e.pipeline_run_id from schedule_firings e
                    where e.schedule_id = f.schedule_id and e.ended_at is null and e.status = 'started'
                      and (s.overlap <> 'allow' or s.monthly_budget_usd is not null)
                    order by e.number limit :maxOpen) o) as open,
          app_now() as now
     from schedule_firings f join schedules s on s.org_id = f.org_id and s.id = f.schedule_id
    where f.org_id = :org and f.id = :id and f.claim = :claim::bigint and f.status in ('due', 'queued')`,
)

type One = { org: Uuid; id: Uuid; claim: string }
/** The first queued firing of the schedules in `settled` is due after some seconds. Those behind it need no look. */
const wakeNext = (
  seconds: string,
): string => sql`update schedule_firings q set due_at = least(q.due_at, app_now() + make_interval(secs => ${seconds}::integer))
      where q.org_id = :org and q.id = (
        select w.id from schedule_firings w join settled s on s.schedule_id = w.schedule_id
         where w.org_id = :org and w.status = 'queued' and w.ended_at is null and w.id <> :id order by w.number limit 1)`

const isHeld = `org_id = :org and id = :id and claim = :claim::bigint and status in ('due', 'queued')`

const start = statement<One & { runId: Uuid | null; pipelineRunId: Uuid | null; lookSeconds: number }>(
  'firings.start',
  sql`update schedule_firings
         set status = 'started', code = null, run_id = :runId, pipeline_run_id = :pipelineRunId, started_at = app_now(), ended_at = null,
             due_at = app_now() + make_interval(secs => :lookSeconds::integer)
       where org_id = :org and id = :id and claim = :claim::bigint and status in ('due', 'queued', 'skipped')`,
)

const settle = statement<One & { status: string; code: string }>(
  'firings.settle',
  sql`with settled as (
     update schedule_firings set status = :status, code = :code, due_at = null, ended_at = app_now() where ${isHeld} returning id, schedule_id
   )
   -- Nothing else wakes the next one in the queue: no run of this one ends.
   ${wakeNext('0')}`,
)

const postpone = statement<One & { status: string; code: string | null; afterSeconds: number }>(
  'firings.postpone',
  sql`update schedule_firings
         set status = :status, code = :code,
             -- A wake since the claim is kept: the run before it has ended.
             due_at = case when due_at <= app_now() then due_at else app_now() + make_interval(secs => :afterSeconds::double precision) end,
             start_by = case when :status = 'queued' then null else start_by end, held_until = null, tries = 0
       where ${isHeld}`,
)

const leave = statement<One & { startWithinSeconds: number; lookSeconds: number }>(
  'firings.leave_queue',
  sql`with settled as (
     update schedule_firings
        set status = 'due', start_by = app_now() + make_interval(secs => :startWithinSeconds::integer)
      where ${isHeld} returning id, schedule_id
   ), next as (
     ${wakeNext(':lookSeconds')}
   )
   select id from settled`,
)

const end = statement<{ org: Uuid; ended: Json }>(
  'firings.end',
  sql`with ended as (
     update schedule_firings f set ended_at = app_now(), due_at = null
       from json_to_recordset(:ended::json) as a (id uuid, cost_usd numeric)
      where f.org_id = :org and f.id = a.id and f.status = 'started' and f.ended_at is null
     returning f.schedule_id, a.cost_usd
   ), spent as (
     update schedules s
        set spent_usd = case when s.spent_month = ${spendMonth} then s.spent_usd else 0 end + c.cost_usd, spent_month = ${spendMonth}
       from (select schedule_id, sum(cost_usd) as cost_usd from ended group by schedule_id) c
      where s.org_id = :org and s.id = c.schedule_id and c.cost_usd > 0
   )
   update schedule_firings q set due_at = least(q.due_at, app_now())
    where q.org_id = :org and q.status = 'queued' and q.id in (
      select distinct on (w.schedule_id) w.id from schedule_firings w
       where w.org_id = :org and w.schedule_id in (select schedule_id from ended) and w.status = 'queued' and w.ended_at is null
       order by w.schedule_id, w.number)`,
)

const wake = statement<{ eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid }, { id: string }>(
  'firings.wake',
  sql`with ended as materialized (
     select distinct f.schedule_id
       from unnest(:eventIds::uuid[]) as u (id)
       cross join lateral (
         select e.subject_id from events e
          where e.id = u.id and e.id >= :firstId and e.id <= :lastId and e.webhook_id is null
            and e.type in ('run.completed', 'run.failed', 'run.cancelled', 'pipeline.completed')
          limit 1) e
       cross join lateral (
         select f.schedule_id from schedule_firings f
          where coalesce(f.run_id, f.pipeline_run_id) = e.subject_id and f.status = 'started' and f.ended_at is null
          limit 1) f
      -- Without any firing that waits, one lookup is all.
      where exists (select from schedule_firings where status in ('due', 'queued'))
   ), asleep as materialized (
     select q.id from schedule_firings q
      where q.id in (
          select distinct on (w.schedule_id) w.id from schedule_firings w
           where w.schedule_id = any (array(select schedule_id from ended)) and w.ended_at is null
             -- One that a worker holds may be about to wait.
             and (w.status = 'queued' or (w.status = 'due' and w.held_until > app_now()))
           order by w.schedule_id, w.number)
        and ${isAsleep} order by q.id for update
   )
   update schedule_firings q set due_at = app_now() where q.id = any (array(select id from asleep)) returning q.id`,
)

const again = statement<{ org: Uuid; ids: readonly Uuid[]; minSeconds: number; maxSeconds: number }>(
  'firings.look_again',
  sql`update schedule_firings
         set due_at = app_now() + least(make_interval(secs => :maxSeconds::integer),
           greatest(make_interval(secs => :minSeconds::integer), (app_now() - started_at) / 4))
       where org_id = :org and id = any (:ids::uuid[]) and status = 'started' and ended_at is null`,
)

import { limits, type PauseReason } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { type Json, type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AllowedAgents } from '../agent-access.ts'
import type { Creator } from '../ctx.ts'
import type { ScheduleContent, ScheduleRow, ScheduleTarget } from './schedule.ts'
import { spentThisMonth } from './spend.sql.ts'

export const findSchedule = async (db: Database, org: string, id: string): Promise<ScheduleRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** Locks a schedule until the commit, so that no date is noted while it changes. */
export const lockSchedule = async (tx: Tx, org: string, id: string): Promise<ScheduleRow | null> => {
  const [row] = await tx.query(lockOne({ org, id }))
  return row ?? null
}

export type SchedulePage = {
  within: AllowedAgents
  agentId: string | null
  pipelineId: string | null
  status: readonly string[] | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listSchedules = (db: Database, org: string, page: SchedulePage): Promise<Fitting<ScheduleRow>[]> => {
  const { agentId, pipelineId, status, limit } = page
  const filters = { org, agentId, pipelineId, status, limit, ids: page.within.ids && [...page.within.ids] }
  return page.before === null
    ? db.once(org, listOlder({ ...filters, after: page.after, maxBytes: limits.pageBytes }))
    : db.once(org, listNewer({ ...filters, before: page.before, maxBytes: limits.pageBytes }))
}

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockSchedules = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

export const countSchedules = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.schedules ?? 0
}

/** When its dates begin, and the first of them. */
export type NextDue = { now: Date; dueAt: Date | null }

export const insertSchedule = async (
  tx: Tx,
  org: string,
  { id, content, creator, due }: { id: string; content: ScheduleContent; creator: Creator; due: NextDue },
): Promise<ScheduleRow> => {
  const by = { createdBy: creator.id, createdByType: creator.type }
  const [row] = await tx.query(add({ org, id, ...parametersOf(content), ...by, ...due }))
  if (!row) throw new Error('The database did not return the schedule that was inserted')
  return row
}

/** `due`: its dates begin again. Null: they continue. */
export const updateSchedule = async (
  tx: Tx,
  org: string,
  { id, content, creator, due }: { id: string; content: ScheduleContent; creator: Creator; due: NextDue | null },
): Promise<ScheduleRow> => {
  const by = { createdBy: creator.id, createdByType: creator.type }
  const begins = { restarts: due !== null, now: due?.now ?? null, dueAt: due?.dueAt ?? null }
  const [row] = await tx.query(change({ org, id, ...parametersOf(content), ...by, ...begins }))
  if (!row) throw new Error('The database did not return the schedule that was changed')
  return row
}

/** Null: it is paused already, or archived. */
export const pauseSchedule = async (
  tx: Tx,
  org: string,
  { id, code }: { id: string; code: PauseReason },
): Promise<ScheduleRow | null> => {
  const [row] = await tx.query(pause({ org, id, code }))
  return row ?? null
}

/** The same for the service. Null: also if it has another creator or target by now. */
export const pauseScheduleOf = async (
  tx: Tx,
  org: string,
  { id, code, creator, target }: { id: string; code: PauseReason; creator: Creator; target: ScheduleTarget },
): Promise<ScheduleRow | null> => {
  const [row] = await tx.query(pauseOf({ org, id, code, createdBy: creator.id, targetId: target.id }))
  return row ?? null
}

/** Null: it is not paused, or it is archived. */
export const resumeSchedule = async (
  tx: Tx,
  org: string,
  { id, creator, due }: { id: string; creator: Creator; due: NextDue },
): Promise<ScheduleRow | null> => {
  const [row] = await tx.query(resume({ org, id, createdBy: creator.id, createdByType: creator.type, ...due }))
  return row ?? null
}

export const archiveSchedule = async (tx: Tx, org: string, id: string): Promise<ScheduleRow | null> => {
  const [row] = await tx.query(archive({ org, id }))
  return row ?? null
}

/** The time of the database, in whole milliseconds, as dates are. */
export const readScheduleTime = async (db: Database, org: string): Promise<Date> => {
  const [row] = await db.once(org, time())
  if (!row) throw new Error('The database did not return its time')
  return row.at
}

const columns = `id, org_id, name, cron, time_zone, interval_seconds, anchor_at, once_at, agent_id, pipeline_id, input, metadata,
       missed, overlap, monthly_budget_usd::float8 as monthly_budget_usd, ${spentThisMonth('schedules')} as spent_usd, status,
       pause_code, paused_at, created_by, created_by_type, due_at, created_at, updated_at, archived_at`

const pageColumns = `id, org_id, name, cron, time_zone, interval_seconds, anchor_at, once_at, agent_id, pipeline_id, input, metadata,
       missed, overlap, monthly_budget_usd, spent_usd, status, pause_code, paused_at, created_by, created_by_type, due_at,
       created_at, updated_at, archived_at`

const parametersOf = (content: ScheduleContent): Content => ({
  name: content.name,
  cron: content.cron,
  timeZone: content.time_zone,
  intervalSeconds: content.interval_seconds,
  anchorAt: content.anchor_at,
  onceAt: content.once_at,
  agentId: content.agent_id,
  pipelineId: content.pipeline_id,
  input: JSON.stringify(content.input),
  metadata: JSON.stringify(content.metadata),
  missed: content.missed,
  overlap: content.overlap,
  monthlyBudgetUsd: content.monthly_budget_usd,
})

type Content = {
  name: string
  cron: string | null
  timeZone: string | null
  intervalSeconds: number | null
  anchorAt: Date | null
  onceAt: Date | null
  agentId: Uuid | null
  pipelineId: Uuid | null
  input: Json
  metadata: Json
  missed: string
  overlap: string
  monthlyBudgetUsd: number | null
}

type By = { createdBy: Uuid; createdByType: string }

const time = statement<NoParameters, { at: Date }>(
  'schedules.time',
  sql`select date_trunc('milliseconds', app_now()) as at`,
)

const find = statement<{ org: Uuid; id: Uuid }, ScheduleRow>(
  'schedules.find',
  sql`select ${columns} from schedules where org_id = :org and id = :id and archived_at is null`,
)

const lockOne = statement<{ org: Uuid; id: Uuid }, ScheduleRow>(
  'schedules.lock_one',
  sql`select ${columns} from schedules where org_id = :org and id = :id and archived_at is null for update`,
)

const filter = `archived_at is null
      and (:ids::uuid[] is null or agent_id = any (:ids::uuid[]))
      and (:agentId::uuid is null or agent_id = :agentId)
      and (:pipelineId::uuid is null or pipeline_id = :pipelineId)
      and (:status::text[] is null or status = any (:status::text[]))`

type ListParameters = {
  org: Uuid
  ids: readonly Uuid[] | null
  agentId: Uuid | null
  pipelineId: Uuid | null
  status: readonly string[] | null
  limit: number
  maxBytes: number
}

const bytes = 'octet_length(input::text) as bytes'

const listOlder = statement<ListParameters & { after: Uuid | null }, Fitting<ScheduleRow>>(
  'schedules.list_older',
  fittingPage(
    `select ${columns}, ${bytes} from schedules
    where org_id = :org and (:after::uuid is null or id < :after) and ${filter} order by id desc limit :limit`,
    { inner: pageColumns, order: 'id desc' },
  ),
)

const listNewer = statement<ListParameters & { before: Uuid }, Fitting<ScheduleRow>>(
  'schedules.list_newer',
  fittingPage(
    `select ${columns}, ${bytes} from schedules
    where org_id = :org and id > :before and ${filter} order by id limit :limit`,
    { inner: pageColumns, order: 'id' },
  ),
)

const lock = statement<{ org: Uuid }>(
  'schedules.lock',
  sql`select pg_advisory_xact_lock(hashtextextended('schedules ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid }, { schedules: number }>(
  'schedules.count',
  sql`select count(*)::integer as schedules from schedules where org_id = :org and archived_at is null`,
)

const add = statement<Content & By & { org: Uuid; id: Uuid; now: Date; dueAt: Date | null }, ScheduleRow>(
  'schedules.add',
  sql`insert into schedules (id, org_id, name, cron, time_zone, interval_seconds, anchor_at, once_at, agent_id, pipeline_id, input,
        metadata, missed, overlap, monthly_budget_usd, created_by, created_by_type, handled_until, due_at)
      values (:id, :org, :name, :cron, :timeZone, :intervalSeconds, :anchorAt, :onceAt, :agentId, :pipelineId, :input,
        :metadata, :missed, :overlap, :monthlyBudgetUsd, :createdBy, :createdByType, :now, :dueAt)
      returning ${columns}`,
)

// A worker that holds the schedule would note dates of the old timing: the next claim fences it.
const change = statement<
  Content & By & { org: Uuid; id: Uuid; restarts: boolean; now: Date | null; dueAt: Date | null },
  ScheduleRow
>(
  'schedules.change',
  sql`update schedules
         set name = :name, cron = :cron, time_zone = :timeZone, interval_seconds = :intervalSeconds, anchor_at = :anchorAt,
             once_at = :onceAt, agent_id = :agentId, pipeline_id = :pipelineId, input = :input, metadata = :metadata,
             missed = :missed, overlap = :overlap, monthly_budget_usd = :monthlyBudgetUsd, created_by = :createdBy,
             created_by_type = :createdByType, updated_at = app_now(),
             claim = case when :restarts::boolean then claim + 1 else claim end,
             handled_until = case when :restarts then :now::timestamptz else handled_until end,
             due_at = case when status = 'paused' then null when :restarts then :dueAt::timestamptz else due_at end
       where org_id = :org and id = :id and archived_at is null
      returning ${columns}`,
)

const paused = `status = 'paused', pause_code = :code, paused_at = app_now(), updated_at = app_now(), due_at = null, claim = claim + 1`

const pause = statement<{ org: Uuid; id: Uuid; code: string }, ScheduleRow>(
  'schedules.pause',
  sql`update schedules set ${paused}
       where org_id = :org and id = :id and status = 'active' and archived_at is null returning ${columns}`,
)

const pauseOf = statement<{ org: Uuid; id: Uuid; code: string; createdBy: Uuid; targetId: Uuid }, ScheduleRow>(
  'schedules.pause_of',
  sql`update schedules set ${paused}
       where org_id = :org and id = :id and status = 'active' and archived_at is null
         and created_by = :createdBy and coalesce(agent_id, pipeline_id) = :targetId
      returning ${columns}`,
)

const resume = statement<By & { org: Uuid; id: Uuid; now: Date; dueAt: Date | null }, ScheduleRow>(
  'schedules.resume',
  sql`update schedules
         set status = 'active', pause_code = null, paused_at = null, updated_at = app_now(), handled_until = :now, due_at = :dueAt,
             created_by = :createdBy, created_by_type = :createdByType, claim = claim + 1
       where org_id = :org and id = :id and status = 'paused' and archived_at is null
      returning ${columns}`,
)

const archive = statement<{ org: Uuid; id: Uuid }, ScheduleRow>(
  'schedules.archive',
  sql`update schedules set archived_at = app_now(), updated_at = app_now(), due_at = null, claim = claim + 1
       where org_id = :org and id = :id and archived_at is null returning ${columns}`,
)

import { scheduleLimits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { standingColumns } from '../work-rows.store.ts'
import type { WorkStanding } from '../work-wait.ts'
import { firingLimits } from './firing.ts'
import { lockSchedule } from './schedule.store.ts'
import { type FiringRow, firingShare } from './schedule.ts'

export const findFiring = async (db: Database, org: string, id: string): Promise<FiringRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** `agentIds`: to which the reader is narrowed; null: to none. */
export type FiringPage = {
  scheduleId: string
  agentIds: ReadonlySet<string> | null
  status: readonly string[] | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listFirings = (db: Database, org: string, page: FiringPage): Promise<ShownFiring[]> => {
  const { scheduleId, status, after, before, limit } = page
  const seen = { org, scheduleId, agentIds: page.agentIds && [...page.agentIds], status, limit }
  return before === null ? db.once(org, listOlder({ ...seen, after })) : db.once(org, listNewer({ ...seen, before }))
}

/**
 * Adds a firing that somebody asked for, and deletes the oldest beyond those that are kept. The schedule counts it, so its row is locked
 * until the commit. Null: there is no such schedule.
 */
export const insertRequested = async (
  tx: Tx,
  org: string,
  { id, scheduleId }: { id: string; scheduleId: string },
): Promise<FiringRow | null> => {
  const { startWithinSeconds } = firingLimits
  // A separate statement locks: the next one sees the firings of everybody who had the lock before.
  await lockSchedule(tx, org, scheduleId)
  const [row] = await tx.query(add({ org, id, scheduleId, startWithinSeconds }))
  return row ?? null
}

/** Skips the firings of a schedule that have not started. `except`: the one that the caller settles. */
export const skipWaiting = async (
  tx: Tx,
  org: string,
  skipped: { scheduleId: string; code: 'schedule_paused' | 'schedule_deleted'; except: string | null },
): Promise<void> => {
  await tx.query(skip({ org, ...skipped }))
}

const columns =
  'id, schedule_id, kind, date, missed_from, status, code, run_id, pipeline_run_id, created_at, started_at, ended_at'

/** For people. */
export type ShownFiring = FiringRow & WorkStanding

const shownColumns = `${columns}, ${standingColumns('schedule_firings', 'f', {
  where: `status in ('due', 'queued')`,
  ofAgents:
    'schedule_id in (select s.id from schedules s where s.org_id = :org and s.agent_id = any (:agentIds::uuid[]))',
  perOrg: firingShare.perOrg,
})}`

const find = statement<{ org: Uuid; id: Uuid }, FiringRow>(
  'firings.find',
  sql`select ${columns} from schedule_firings where org_id = :org and id = :id`,
)

type ListParameters = {
  org: Uuid
  scheduleId: Uuid
  agentIds: readonly Uuid[] | null
  status: readonly string[] | null
  limit: number
}
const filter =
  'org_id = :org and schedule_id = :scheduleId and (:status::text[] is null or status = any (:status::text[]))'

const listOlder = statement<ListParameters & { after: Uuid | null }, ShownFiring>(
  'firings.list_older',
  sql`select ${shownColumns} from schedule_firings f
    where ${filter} and (:after::uuid is null or id < :after) order by id desc limit :limit`,
)

const listNewer = statement<ListParameters & { before: Uuid }, ShownFiring>(
  'firings.list_newer',
  sql`select ${shownColumns} from schedule_firings f where ${filter} and id > :before order by id limit :limit`,
)

// Two requests in one millisecond are two firings, so the date is the next free one.
const add = statement<{ org: Uuid; id: Uuid; scheduleId: Uuid; startWithinSeconds: number }, FiringRow>(
  'firings.add_requested',
  sql`with counted as (
     update schedules set firings = firings + 1 where org_id = :org and id = :scheduleId and archived_at is null
     returning id, firings
   ), deleted as (
     delete from schedule_firings f using counted c
      where f.schedule_id = c.id and f.number <= c.firings - ${scheduleLimits.keptFirings} and f.ended_at is not null
   )
   insert into schedule_firings (id, org_id, schedule_id, number, kind, date, status, due_at, start_by)
   select :id, :org, c.id, c.firings, 'request',
          greatest(date_trunc('milliseconds', app_now()),
            (select max(f.date) + interval '1 millisecond' from schedule_firings f
              where f.org_id = :org and f.schedule_id = c.id and f.kind = 'request')),
          'due', app_now(), app_now() + make_interval(secs => :startWithinSeconds::integer)
     from counted c
   returning ${columns}`,
)

// A worker that is starting one at this moment still stores that it has started: the run exists.
const skip = statement<{ org: Uuid; scheduleId: Uuid; code: string; except: Uuid | null }>(
  'firings.skip_waiting',
  sql`update schedule_firings set status = 'skipped', code = :code, due_at = null, ended_at = app_now()
    where org_id = :org and schedule_id = :scheduleId and ended_at is null and status in ('due', 'queued')
      and id is distinct from :except::uuid`,
)

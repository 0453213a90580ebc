import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { afterEnd, endedColumns, endedFacts } from '../run/end.store.ts'
import type { RunFailure } from '../run/run.ts'
import type { EndedFacts } from '../run/run-end.ts'

// crosses organisations: ends all runs past their deadline, with or without a live worker. The failure depends on the
// status of the run; a run that is being cancelled ends as cancelled.
export const endOverdueRuns = (
  db: Database,
  page: OverduePage & {
    failures: Record<'queued' | 'running' | 'requires_action', RunFailure>
    eventIds: readonly string[]
    /** Only these runs; null: all. */
    only: readonly string[] | null
  },
): Promise<OverdueRun[]> => db.once(null, endOverdue({ ...page, failures: JSON.stringify(page.failures) }))

// crosses organisations: runs of all organisations that are older than this are overdue from now on.
export const expireOldRuns = async (db: Database, page: { limit: number; maxAgeDays: number }): Promise<number> =>
  (await db.once(null, expireOld(page))).length

// crosses organisations: the runs that `endOverdueRuns` would end.
export const listOverdueRuns = async (db: Database, page: OverduePage): Promise<string[]> =>
  (await db.once(null, listOverdue(page))).map(({ run_id }) => run_id)

/** `except`: runs that could not be ended a moment ago. */
export type OverduePage = { limit: number; except: readonly string[] }

/** `was`: the status before the end. */
export type OverdueRun = EndedFacts & { org_id: string; run_id: string; seq: number; was: string }

type PageParameters = { limit: number; except: readonly Uuid[] }

const isOverdue = 'deadline_at <= app_now() and run_id <> all (:except::uuid[])'

const expireOld = statement<{ limit: number; maxAgeDays: number }>(
  'sweep.expire_old',
  sql`update run_heads set deadline_at = app_now()
    where run_id in (
      select run_id from run_heads
       where run_id < uuid_floor(app_now() - make_interval(days => :maxAgeDays)) and deadline_at > app_now()
       order by run_id limit :limit for update skip locked)
    returning 1`,
)

const listOverdue = statement<PageParameters, { run_id: string }>(
  'sweep.list_overdue',
  sql`select run_id from run_heads where ${isOverdue} order by deadline_at limit :limit`,
)

const endOverdue = statement<
  PageParameters & { only: readonly Uuid[] | null; failures: Json; eventIds: readonly Uuid[] },
  OverdueRun
>(
  'sweep.end_overdue',
  sql`with due as (
    select run_id, row_number() over (order by run_id) as n from (
      select run_id from run_heads
       where ${isOverdue} and (:only::uuid[] is null or run_id = any (:only))
       order by deadline_at limit :limit for update skip locked
    ) overdue
  ), head as (
    delete from run_heads h using due where h.run_id = due.run_id
    returning ${endedColumns}, h.status as was,
              case when h.status = 'cancelling' then 'cancelled' else 'failed' end as end_status,
              case when h.status <> 'cancelling' then :failures::json -> h.status end as end_error,
              (:eventIds::uuid[])[due.n] as event_id
  ), forgotten as (
    -- What a policy held back goes with the question that nobody answered.
    update run_actions a set held = null
     where a.run_id = any (array(select h.run_id from head h where h.was = 'requires_action')) and a.held is not null
  ), ${afterEnd}
  select org_id, run_id, seq, was, ${endedFacts} from head`,
)

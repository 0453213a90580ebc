import { plans } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type NoParameters, type Statement, sql, statement } from '@ars/platform/db/statement'
import type { Segment } from '../run/segment.ts'
import { sharesOf } from './queue.ts'

export type AdmissionSettings = {
  /** How many runs the cell executes at once. */
  cellSlots: number
  /** When the relay sends an order that no worker has claimed. */
  relayAfterMs: number
}

/** `busy`: another transaction admits now, so nothing was looked at. `left`: runs still wait. */
export type Look = { admitted: Segment[]; busy: boolean; left: boolean }

export type LookRow = Segment & { what: 'admitted' | 'busy' | 'left' }

/** How many runs one look admits. */
export const runsPerLook = 100

// crosses organisations: what the cell can execute is shared by all organisations whose runs wait.
export const admitRuns = async (db: Database, settings: AdmissionSettings): Promise<Look> =>
  toLook(await db.once(null, admit(settings)))

// crosses organisations: the marks of the cell are for the runs of all organisations together.
export const settleCell = async (db: Database): Promise<void> => {
  await db.once(null, settle())
}

/** For a batch that has put runs into the queue. It must be the last statement: the lock is held until the commit. */
export const admit = ({ cellSlots, relayAfterMs }: AdmissionSettings): Statement<LookRow> =>
  admitStatement({ ...sharesOf(cellSlots), most: runsPerLook, demoKeyRuns: plans.demo.concurrentRuns, relayAfterMs })

export const toLook = (rows: readonly LookRow[]): Look => ({
  admitted: rows.flatMap(({ what, ...segment }) => (what === 'admitted' ? [segment] : [])),
  busy: rows.some(({ what }) => what === 'busy'),
  left: rows.some(({ what }) => what === 'left'),
})

/** No run that waits has a lower number, see `cell`. After a restore into another server the numbers begin again. */
export const waitingFrom =
  '(select case when admitted_from <= ended_transactions() then waiting_from else 0 end from cell)'

type AdmitParameters = {
  most: number
  cellRuns: number
  sharedRuns: number
  lightRuns: number
  demoKeyRuns: number
  relayAfterMs: number
}

const admitStatement = statement<AdmitParameters, LookRow>(
  'runs.admit',
  sql`select what, org, run, epoch, segment, step
        from admit_runs(:most, :cellRuns, :sharedRuns, :lightRuns, :demoKeyRuns, :relayAfterMs)`,
)

// All transactions below the new mark have ended, so that their runs are visible here. No lock is needed: whoever admits
// meanwhile has a higher number.
const settle = statement<NoParameters>(
  'runs.settle_cell',
  sql`update cell c
      set settled_at = app_now(), admitted_from = n.mark,
          waiting_from = coalesce((select min(moved_in) from run_heads
            where waits_for is not null and moved_in >= n.waiting_from and moved_in < n.mark), n.mark),
          admitted_before = array(
            select run_id from run_heads where is_admitted and moved_in >= n.admitted_from and moved_in < n.mark
            union all
            select run_id from run_heads where run_id = any (n.admitted_before) and is_admitted and moved_in < n.admitted_from)
     from (select ended_transactions() as mark, admitted_before,
                  case when admitted_from <= ended_transactions() then waiting_from else 0 end as waiting_from,
                  case when admitted_from <= ended_transactions() then admitted_from else 0 end as admitted_from
             from cell) n
    where c.settled_at <= app_now() - interval '3 seconds' or c.settled_at > app_now()`,
)

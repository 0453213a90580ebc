import { plans } from '@ars/contract'
import { type Statement, sql, statement } from '@ars/platform/db/statement'
import { type AdmissionSettings, type LookRow, runsPerLook } from './look.ts'
import { sharesOf } from './queue.ts'

/** For a batch that has put runs into the queue. It must be the last statement: the lock is held until the commit. */
export const admit = ({ cellSlots, relayAfterMs }: AdmissionSettings): Statement<LookRow> =>
  admitStatement({ ...sharesOf(cellSlots), most: runsPerLook, demoKeyRuns: plans.demo.concurrentRuns, relayAfterMs })

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

import { plans } from '@ars/contract'
import { type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type AdmissionRow, type AdmissionSettings, runsPerAdmission } from './admission-result.ts'
import { sharesOf } from './queue.ts'

/**
 * For a batch that has put runs into the queue. It must be the last statement: the lock is held until the commit. The look
 * begins at `firstOrg`, so that it reads the runs of this organisation however many others wait; null: it begins anywhere.
 */
export const admit = (
  { cellSlots, relayAfterMs }: AdmissionSettings,
  firstOrg: string | null,
): Statement<AdmissionRow> =>
  admitStatement({
    ...sharesOf(cellSlots),
    most: runsPerAdmission,
    demoKeyRuns: plans.demo.concurrentRuns,
    relayAfterMs,
    firstOrg,
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
  firstOrg: Uuid | null
}

const admitStatement = statement<AdmitParameters, AdmissionRow>(
  'runs.admit',
  sql`select what, org, run, epoch, segment, step
        from admit_runs(:most, :cellRuns, :sharedRuns, :lightRuns, :demoKeyRuns, :relayAfterMs, :firstOrg)`,
)

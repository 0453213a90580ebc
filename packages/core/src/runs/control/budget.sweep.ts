import type { Database, Tx } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import {
  type DueBudget,
  endWaits,
  listDueBudgets,
  listWaits,
  lockDueBudget,
  scheduleWaits,
} from '../../budgets/index.ts'
import { runsBounds } from '../bounds.ts'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { resumeRun } from './action.store.ts'
import { closeBudgetQuestions, listBudgetQuestions } from './budget-wait.store.ts'

type Deps = { system: Database; feed: Pick<Feed, 'tell'>; admission: Pick<AdmissionService, 'nudge'>; log: Log }

const budgetsPerRound = runsBounds.budgetsResumed.count
/** A transaction resumes at most this many runs, so that raising a budget for which thousands wait holds no lock for long. */
const runsPerPage = runsBounds.runsResumedTogether.count

/**
 * Lets runs go on that wait for a budget, once it was raised or a new month began. Runs that have gone on in another way, or have
 * ended, are forgotten here. A run whose budget is used up again before its next model call waits again.
 */
export const budgetSweep = (deps: Deps): Sweep => ({
  name: 'budget-waits',
  everyMs: 1000,
  run: async () => {
    for (const due of await listDueBudgets(deps.system, budgetsPerRound)) {
      await whilePagesAreFull(runsPerPage, () => resumePage(deps, due)).catch((error: unknown) => {
        deps.log.error('runs that wait for a budget could not go on', { org_id: due.org_id, error })
      })
    }
  },
})

const resumePage = async (
  { system, feed, admission }: Deps,
  { org_id: org, subject_id }: DueBudget,
): Promise<number> => {
  const { resumed, done } = await system.transaction(org, (tx) => resume(tx, org, subject_id))
  for (const { run, seq } of resumed) feed.tell(org, run, { seq })
  if (resumed.length > 0) admission.nudge()
  return done
}

type Page = { resumed: readonly { run: string; seq: number }[]; done: number }

const resume = async (tx: Tx, org: string, subjectId: string): Promise<Page> => {
  const budget = await lockDueBudget(tx, org, subjectId)
  if (!budget) return { resumed: [], done: 0 }
  const resumed: { run: string; seq: number }[] = []
  const waits = budget.has_room ? await listWaits(tx, org, { subjectId, limit: runsPerPage }) : []
  for (const run of await closeBudgetQuestions(tx, org, waits)) {
    const verdict = await resumeRun(tx, org, run)
    if (verdict.kind === 'resumed') resumed.push({ run, seq: verdict.seq })
  }
  // Those that another transaction holds are looked at in the next round.
  const held = new Set(await listBudgetQuestions(tx, org, waits))
  const over = waits.filter((run) => !held.has(run))
  await endWaits(tx, org, { subjectId, runIds: over })
  await scheduleWaits(tx, org, subjectId)
  return { resumed, done: over.length }
}

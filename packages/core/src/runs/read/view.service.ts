import type { RunDiagnosis, RunStep } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Caller } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { readHistory } from '../run/history.store.ts'
import { findFacts } from './diagnosis.store.ts'
import { diagnose } from './diagnosis.ts'
import { toSteps } from './steps-view.ts'

export type ViewService = {
  /** Each model call and tool call, oldest first. */
  steps(ctx: Pick<Caller, 'org'>, run: AccessibleRun): Promise<RunStep[]>
  /** Why it makes no progress. */
  diagnosis(ctx: Pick<Caller, 'org'>, run: AccessibleRun): Promise<RunDiagnosis>
}

export const createViews = ({ app }: { app: Database }): ViewService => {
  const facts = async (org: string, { id, uuid }: AccessibleRun) => {
    const found = await findFacts(app, org, uuid)
    if (!found) throw new Fault('not_found', `No run ${id}`)
    return found
  }
  return {
    steps: async ({ org }, run) => {
      await facts(org, run)
      return toSteps(await readHistory(app, org, run.uuid))
    },
    diagnosis: async ({ org }, run) => diagnose(await facts(org, run)),
  }
}

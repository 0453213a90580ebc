import type { RunDiagnosis, RunId, RunStep } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { Caller } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { findFacts } from './diagnosis.store.ts'
import { diagnose } from './diagnosis.ts'
import { readHistory } from './history.store.ts'
import { toSteps } from './steps-view.ts'

export type ViewService = {
  /** Each model call and tool call, oldest first. */
  steps(ctx: Pick<Caller, 'org'>, id: RunId): Promise<RunStep[]>
  /** Why it is not moving. */
  diagnosis(ctx: Pick<Caller, 'org'>, id: RunId): Promise<RunDiagnosis>
}

export const createViews = ({ app }: { app: Database }): ViewService => {
  const facts = async (org: string, id: RunId) => {
    const found = await findFacts(app, org, toUuid(id))
    if (!found) throw new Fault('not_found', `No run ${id}`)
    return found
  }
  return {
    steps: async ({ org }, id) => {
      await facts(org, id)
      return toSteps(await readHistory(app, org, toUuid(id)))
    },
    diagnosis: async ({ org }, id) => diagnose(await facts(org, id)),
  }
}

import type { ActionId, HeldContent, RunDiagnosis, RunStep } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import type { Caller } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { pageSize, toList } from '../../page.ts'
import type { SecretService } from '../../secrets/index.ts'
import { heldContentOf } from '../../steps/index.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { heldRecord } from '../run/guarded-run.ts'
import { findFacts, type RunSight } from './diagnosis.store.ts'
import { diagnose } from './diagnosis.ts'
import { findHeldContent } from './held-content.store.ts'
import { listSteps } from './steps.store.ts'
import { toSteps } from './steps-view.ts'

export type StepPage = { limit?: number | undefined; after?: number | undefined; before?: number | undefined }

type Viewer = Pick<Caller, 'org'> & RunSight

type StepList = Omit<ReturnType<typeof toList>, 'data'> & { data: RunStep[] }

export type ViewService = {
  /** Model calls and tool calls, oldest first. */
  steps(ctx: Viewer, page: StepPage, run: AccessibleRun): Promise<StepList>
  /** Why it makes no progress. */
  diagnosis(ctx: Viewer, run: AccessibleRun): Promise<RunDiagnosis>
  /** What a policy holds back until a person has decided. */
  held(ctx: Pick<Caller, 'org'>, asked: { action_id?: ActionId | undefined }, run: AccessibleRun): Promise<HeldContent>
}

export const createViews = ({ app, secrets }: { app: Database; secrets: SecretService }): ViewService => {
  const facts = async (ctx: Viewer, { id, uuid }: AccessibleRun) => {
    const found = await findFacts(app, ctx.org, uuid, ctx)
    if (!found) throw new Fault('not_found', `No run ${id}`)
    return found
  }
  return {
    steps: async (ctx, page, run) => {
      await facts(ctx, run)
      const { after = null, before = null } = page
      const { isCut, ...rows } = await listSteps(app, ctx.org, run.uuid, { after, before, limit: pageSize(page) + 1 })
      // A step has no id, so its number is the cursor of the pages.
      const steps = toSteps(rows).map((step) => ({ id: String(step.number), step }))
      const { data, ...list } = toList(
        before === null ? steps : steps.toReversed(),
        { limit: page.limit, before: before === null ? undefined : `${before}` },
        { isCut },
      )
      return { ...list, data: data.map(({ step }) => step) }
    },
    diagnosis: async (ctx, run) => diagnose(await facts(ctx, run)),
    held: async ({ org }, { action_id }, { id, uuid: run }) => {
      const action = action_id === undefined ? null : toUuid(action_id)
      const found = await findHeldContent(app, org, { run, action })
      if (!found) throw new Fault('not_found', `No content of run ${id} waits for an approval`)
      const { policy_id, rule, stage } = found.policy
      const content = found.sealed
        ? heldContentOf(stage, JSON.parse(await secrets.open(org, found.sealed, heldRecord(run, found.id))))
        : found.input
      const actionId = fromUuid('act', found.id)
      return { object: 'held_content', run_id: id, action_id: actionId, stage, policy_id, rule, content }
    },
  }
}

import { limits, type PipelineRunId, pipelineRunBounds, type PipelineRun as WirePipelineRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { hasAgent, sees } from '../../agent-access.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { isApproval, type PipelineDefinition } from '../definition.ts'
import { readPipelineRuns, type StoredPipelineRun } from './pipeline-run.store.ts'
import { type PipelineAction, toWirePipelineRun } from './pipeline-run.ts'
import { listAsking, listAskingRuns, listQuestions, type PipelineQuestion } from './question.store.ts'

/** What a caller may see of a pipeline run. */
export type PipelineRunSight = Pick<Ctx, 'org' | 'runOwner' | 'agentIds'>

export type PipelineRunView = {
  /** The rows, if the caller may see them. */
  find(ctx: PipelineRunSight, id: PipelineRunId): Promise<StoredPipelineRun>
  /** Null: there is none. The caller of this function checks who may see it. */
  read(org: string, uuid: string): Promise<ShownPipelineRun | null>
  toWire(org: string, stored: StoredPipelineRun): Promise<WirePipelineRun>
  /** A page in the given order. It ends early, after at least one, when its open questions exceed the bytes of a page. */
  toPage(org: string, stored: readonly StoredPipelineRun[]): Promise<{ rows: WirePipelineRun[]; isCut: boolean }>
  /** Open questions of its approval steps and of its runs. */
  actionsOf(org: string, uuid: string): Promise<PipelineAction[]>
}

/** A pipeline run with its wire form. */
export type ShownPipelineRun = { stored: StoredPipelineRun; wire: WirePipelineRun }

export type ActionOfRun = Omit<PipelineAction, 'step' | 'item' | 'run_id'>

export type PipelineRunViewDeps = {
  app: Database
  /** Open questions of runs, by the UUID of the run. */
  actionsOfRuns(org: string, runIds: readonly string[]): Promise<ReadonlyMap<string, readonly ActionOfRun[]>>
}

export const createPipelineRunView = ({ app, actionsOfRuns }: PipelineRunViewDeps): PipelineRunView => {
  const findStored = async (org: string, uuid: string): Promise<StoredPipelineRun | null> =>
    (await readPipelineRuns(app, org, [uuid]))[0] ?? null

  const actionsOf = async (org: string, id: string): Promise<PipelineAction[]> => {
    const max = pipelineRunBounds.diagnosisRuns
    const [questions, asking] = await Promise.all([listQuestions(app, org, id), listAskingRuns(app, org, { id, max })])
    const ids = asking.map(({ run_id }) => run_id)
    const ofRuns = ids.length === 0 ? null : await actionsOfRuns(org, ids)
    return [
      ...questions.filter(({ is_open }) => is_open).map(toAction),
      ...asking.flatMap(({ step, item, run_id }) =>
        (ofRuns?.get(run_id) ?? []).map((action) => ({ ...action, step, item, run_id: fromUuid('run', run_id) })),
      ),
    ]
  }

  const toWire = async (org: string, { run, steps }: StoredPipelineRun): Promise<WirePipelineRun> =>
    toWirePipelineRun(run, steps, run.head_status === null ? [] : await actionsOf(org, run.id))

  const toPage: PipelineRunView['toPage'] = async (org, stored) => {
    const active = stored.filter(({ run }) => run.head_status !== null)
    const asking = await listAsking(
      app,
      org,
      active.map(({ run }) => run.id),
    )
    const rows: WirePipelineRun[] = []
    let bytes = 0
    for (const { run, steps } of stored) {
      const actions = asking.has(run.id) ? await actionsOf(org, run.id) : []
      bytes += actions.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(actions))
      if (bytes > limits.pageBytes && rows.length > 0) return { rows, isCut: true }
      rows.push(toWirePipelineRun(run, steps, actions))
    }
    return { rows, isCut: false }
  }

  return {
    find: async (ctx, id) => {
      const found = await findStored(ctx.org, toUuid(id))
      if (!found) throw new Fault('not_found', `No pipeline run ${id}`)
      requirePipelineSight(ctx, found)
      return found
    },
    read: async (org, uuid) => {
      const stored = await findStored(org, uuid)
      return stored && { stored, wire: await toWire(org, stored) }
    },
    toWire,
    toPage,
    actionsOf,
  }
}

/** A demo key or token sees what it created; a narrowed key sees what uses its agents only. */
export const requirePipelineSight = (ctx: Omit<PipelineRunSight, 'org'>, { run }: StoredPipelineRun): void => {
  if (!sees(ctx, run.owner_id))
    throw new Fault('forbidden', `Pipeline run ${fromUuid('plr', run.id)} was created with another key or token`)
  requireAgents(ctx, run.definition)
}

export const requireAgents = (ctx: Pick<Ctx, 'agentIds'>, { steps }: PipelineDefinition): void => {
  const other = steps.find((step) => !isApproval(step) && !hasAgent(ctx, toUuid(step.agent_id as `ag_${string}`)))
  if (other) throw new Fault('forbidden', `This key may not use the agent of step ${other.key}`)
}

const toAction = ({ step, question, created_at, expires_at }: PipelineQuestion): PipelineAction => ({
  id: step,
  type: 'approval',
  message: question.message,
  tool_call: null,
  response_schema: question.response_schema,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
  step,
  item: 0,
  run_id: null,
})

import type {
  AgentId,
  ApiKeyId,
  DeploymentId,
  RunErrorCode,
  RunId,
  RunStatus,
  UserId,
  Run as WireRun,
} from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { RunShareService } from '../../access/index.ts'
import type { AgentAccess, AllowedAgents } from '../../agent-access.ts'
import type { AgentService } from '../../agents/index.ts'
import { auditOf, recordAudit } from '../../audit/index.ts'
import type { Caller, Ctx } from '../../ctx.ts'
import { listDeploymentsOfVersion } from '../../deployments/index.ts'
import { Fault } from '../../fault.ts'
import { createdWithin, pageSize, toList } from '../../page.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { eraseRunData } from '../run/erase.store.ts'
import { findRun } from '../run/run.store.ts'
import { isEnded, type Run, type RunView, toSummary, toWireRun } from '../run/run.ts'
import { listRuns } from './list.store.ts'
import type { RunPage } from './run-page.ts'

export type ListRuns = {
  limit?: number | undefined
  after?: RunId | undefined
  before?: RunId | undefined
  agent_id?: AgentId | undefined
  agent_version?: number | undefined
  deployment_id?: DeploymentId | undefined
  status?: readonly RunStatus[] | undefined
  error_code?: readonly RunErrorCode[] | undefined
  created_by?: ApiKeyId | UserId | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  pipeline_run_id?: string | undefined
  parent_run_id?: RunId | undefined
  ids?: readonly RunId[] | undefined
  metadata?: Record<string, string> | undefined
  view?: RunView | undefined
}

export type RunReader = {
  get(ctx: Pick<Caller, 'org'>, run: AccessibleRun): Promise<WireRun>
  list(ctx: AgentAccess, page: ListRuns, within: AllowedAgents): Promise<ReturnType<typeof toList<WireRun>>>
  /** Erases the data of an ended run, and ends the links to it. */
  erase(ctx: Eraser, run: AccessibleRun): Promise<WireRun>
}

type Eraser = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>
type Deps = {
  app: Database
  clock: Clock
  newId: IdMaker
  agents: AgentService
  shares: Pick<RunShareService, 'endOfRun' | 'forget'>
}

export const createRunReader = (deps: Deps): RunReader => {
  const get = async (org: string, { uuid, id }: AccessibleRun): Promise<Run> => {
    const run = await findRun(deps.app, org, uuid)
    if (!run) throw new Fault('not_found', `No run ${id}`)
    return run
  }

  /** An index has the runs of a deployment, and a version has few deployments. */
  const deploymentsOf = async (org: string, page: ListRuns): Promise<string[] | null> => {
    const { agent_id, agent_version: version, deployment_id } = page
    const asked = deployment_id === undefined ? null : [toUuid(deployment_id)]
    if (agent_id === undefined || version === undefined) return asked
    const released = await listDeploymentsOfVersion(deps.app, org, { agentId: toUuid(agent_id), version })
    return asked ? asked.filter((id) => released.includes(id)) : released
  }

  return {
    get: async ({ org }, run) => toWireRun(await get(org, run)),
    list: async (ctx, page, within) => {
      const agents = page.agent_id === undefined ? within : await deps.agents.allowedAgent(ctx, within, page.agent_id)
      const deploymentIds = await deploymentsOf(ctx.org, page)
      const runPage = { ...toRunPage(page), deploymentIds, within: agents }
      const { runs, isCut } = await listRuns(deps.app, ctx.org, runPage, deps.clock.now())
      return toList(runs.map(page.view === 'summary' ? toSummary : toWireRun), page, { isCut })
    },
    erase: async (ctx, named) => {
      const { org } = ctx
      const run = await get(org, named)
      if (!isEnded(run.status)) {
        throw new Fault('run_not_ended', `Run ${named.id} is ${run.status}; its data can be erased once it has ended`)
      }
      await eraseRunData(deps.app, org, named.uuid)
      // The log records a complete erasure. The caller repeats one that failed half-way.
      await deps.app.transaction(org, async (tx) => {
        const ended = await deps.shares.endOfRun(tx, org, named.uuid)
        const after = ended === 0 ? null : { shares_ended: ended }
        const act = { action: 'run.data_erased', subject: named.id, after }
        await recordAudit(tx, org, auditOf(ctx, toUuid(deps.newId('aud')), act))
      })
      deps.shares.forget(named.uuid)
      return toWireRun(await get(org, named))
    },
  }
}

const toRunPage = (page: ListRuns): Omit<RunPage, 'within' | 'deploymentIds'> => ({
  limit: pageSize(page) + 1,
  view: page.view ?? 'full',
  after: page.after === undefined ? null : toUuid(page.after),
  before: page.before === undefined ? null : toUuid(page.before),
  status: page.status ?? null,
  errorCodes: page.error_code ?? null,
  creator: page.created_by === undefined ? null : toCreator(page.created_by),
  ...createdWithin(page),
  parentRunId: page.parent_run_id === undefined ? null : toUuid(page.parent_run_id),
  pipelineRunId: page.pipeline_run_id === undefined ? null : toUuid(page.pipeline_run_id),
  metadata: page.metadata ?? {},
  runIds: page.ids?.map(toUuid) ?? null,
})

const toCreator = (id: ApiKeyId | UserId): RunPage['creator'] => ({
  id: toUuid(id),
  type: id.startsWith('key_') ? 'key' : 'user',
})

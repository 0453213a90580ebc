import type { RunErrorCode, RunStatus } from '@ars/contract'
import type { Bounds } from '@ars/platform/id-range'
import type { AllowedAgents } from '../../agent-access.ts'
import type { RunView } from '../run/run.ts'

/** The runs that a page shows. */
export type RunPage = Bounds & {
  view: RunView
  /** One beyond the size of the page. */
  limit: number
  /** Only runs of these agents, and of this owner if there is one, whatever the other filters say. */
  within: AllowedAgents
  status: readonly RunStatus[] | null
  /** Runs that failed with one of these codes. */
  errorCodes: readonly RunErrorCode[] | null
  /** One deployment, or those of a version. */
  deploymentIds: readonly string[] | null
  creator: { id: string; type: 'key' | 'user' } | null
  parentRunId: string | null
  pipelineRunId: string | null
  metadata: Readonly<Record<string, string>>
  /** Of these runs only. */
  runIds: readonly string[] | null
}

/** Conditions of a page. Where another part of the statement filters by agent, they leave the agents out. */
export type RunConditions = Omit<RunPage, 'within'> & { within: Pick<AllowedAgents, 'ids' | 'runOwner'> }

/** Whether the columns of `runs` alone decide which runs match, and one index has them in their order. */
export const isAskedAlone = (page: RunPage): boolean =>
  page.within.runOwner === null &&
  page.status === null &&
  page.errorCodes === null &&
  page.runIds === null &&
  Object.keys(page.metadata).length === 0 &&
  agentsOf(page).length <= 1 &&
  (page.deploymentIds?.length ?? 0) <= 1

/** The agents whose runs are requested. Empty: all. */
export const agentsOf = ({ within }: RunConditions): string[] => (within.ids ? [...within.ids] : [])

/** Nothing can match. */
export const isEmpty = ({ within, deploymentIds, errorCodes, status }: RunPage): boolean =>
  within.ids?.size === 0 ||
  deploymentIds?.length === 0 ||
  (errorCodes !== null && status !== null && !status.includes('failed'))

export const fits = ({ status }: { status: RunStatus }, page: RunPage): boolean =>
  page.status === null || page.status.includes(status)

import type { RunStatus } from '@ars/contract'
import type { Bounds } from '../id-range.ts'

/** Which runs a page shows. */
export type RunPage = Bounds & {
  /** One beyond the size of the page. */
  limit: number
  agentId: string | null
  /** Runs of these agents and no others, whatever else is asked; null or undefined: of all. */
  withinAgents?: ReadonlySet<string> | null
  status: readonly RunStatus[] | null
  pipelineRunId: string | null
  metadata: Readonly<Record<string, string>>
}

/** Whether what was asked at the beginning tells which runs fit, without what moves and without labels. */
export const isAskedAlone = (page: RunPage): boolean =>
  page.status === null && Object.keys(page.metadata).length === 0 && agentsOf(page).length <= 1

/** The agents whose runs are asked for; empty: all of them. */
export const agentsOf = ({ agentId, withinAgents }: RunPage): string[] => {
  if (agentId !== null) return [agentId]
  return withinAgents ? [...withinAgents] : []
}

/** Nothing can fit. */
export const isEmpty = ({ agentId, withinAgents }: RunPage): boolean =>
  withinAgents ? withinAgents.size === 0 || (agentId !== null && !withinAgents.has(agentId)) : false

export const fits = ({ status }: { status: RunStatus }, page: RunPage): boolean =>
  page.status === null || page.status.includes(status)

import type { RunStatus } from '@ars/contract'
import type { Bounds } from './id-range.ts'

/** Which runs a page shows. */
export type RunPage = Bounds & {
  /** One beyond the size of the page. */
  limit: number
  agentId: string | null
  status: readonly RunStatus[] | null
  pipelineRunId: string | null
  metadata: Readonly<Record<string, string>>
}

/** Whether what was asked at the beginning tells which runs fit, without what moves and without labels. */
export const isAskedAlone = (page: RunPage): boolean => page.status === null && Object.keys(page.metadata).length === 0

export const fits = ({ status }: { status: RunStatus }, page: RunPage): boolean =>
  page.status === null || page.status.includes(status)

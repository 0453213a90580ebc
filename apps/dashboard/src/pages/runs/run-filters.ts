import type { RunErrorCode, RunStatus, RunsListParams } from '@agent-run-service/sdk'
import { runErrorCodes, runStatuses } from '@agent-run-service/sdk'
import { absoluteRange } from '../../ui/range.ts'

/** The filters of the list. They live in the address and nowhere else: a link shows the same list to everybody. */
export type RunSearch = {
  status?: string
  agent_id?: string
  /** Pairs as in a query, such as `customer=42`. */
  metadata?: string
  error_code?: string
  created_by?: string
  created_after?: string
  created_before?: string
}

/** A link with more pairs is cut: an address has a limited length. */
const maxPairs = 10

export const printMetadata = (pairs: Readonly<Record<string, string>>): string | undefined =>
  new URLSearchParams(Object.entries(pairs)).toString() || undefined

export const parseMetadata = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries([...new URLSearchParams(text ?? '')].filter(([key]) => key !== '').slice(0, maxPairs))

export const statusesOf = ({ status }: RunSearch): readonly RunStatus[] =>
  runStatuses.filter((each) => status?.split(',').includes(each))

/** The other choice of one status, for a chip. */
export const withStatus = (search: RunSearch, status: RunStatus): string | undefined => {
  const chosen = statusesOf(search)
  const next = runStatuses.filter((each) => chosen.includes(each) !== (each === status))
  return next.join(',') || undefined
}

/** The parameters of the request. Relative times become absolute here. */
export const paramsOfSearch = (search: RunSearch, nowMs: number): RunsListParams => {
  const statuses = statusesOf(search)
  const errorCode = runErrorCodes.find((each): each is RunErrorCode => each === search.error_code)
  const metadata = parseMetadata(search.metadata)
  return {
    view: 'summary',
    ...(statuses.length > 0 && { status: statuses }),
    ...(search.agent_id !== undefined && { agent_id: search.agent_id }),
    ...(errorCode !== undefined && { error_code: errorCode }),
    ...(search.created_by !== undefined && { created_by: search.created_by }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...absoluteRange(search, nowMs),
  }
}

import type { RunStatus } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { type Statement, statement } from '@ars/platform/db/statement'
import { uuidFloor, uuidTime } from '@ars/platform/id'
import { isEnded, type Run } from './run.ts'
import { type RunRow, selectRuns, toRun } from './run-row.store.ts'

export type RunPage = {
  /** One beyond the size of the page. */
  limit: number
  after: string | null
  before: string | null
  agentId: string | null
  status: readonly RunStatus[] | null
  createdAfter: Date | null
  createdBefore: Date | null
  pipelineRunId: string | null
  metadata: Readonly<Record<string, string>>
  /** The time by which ids are made. */
  now: Date
}

/**
 * Newest first; `before` reads towards the newer ones, and is turned round again by the caller. First the ids are
 * looked for, in stretches of time that begin where the page does, then their runs: a statement that names the range
 * of its ids opens the partitions of that range alone.
 */
export const listRuns = async (db: Database, org: string, page: RunPage): Promise<Run[]> => {
  const found: Run[] = []
  for (const stretch of stretchesOf(page)) {
    let rest: Range | null = stretch
    while (rest !== null && found.length < page.limit) {
      const ids: string[] = await findIds(db, org, page, rest)
      found.push(...(await readRuns(db, org, page, ids)))
      // Runs that have moved on since their ids were found leave room, so the search goes on where it ended.
      const last = ids.at(-1)
      rest = last === undefined || ids.length < page.limit ? null : beyond(page, rest, last)
    }
    if (found.length >= page.limit) break
  }
  return found.slice(0, page.limit)
}

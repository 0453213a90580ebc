import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { type IdRange, restOf, stretchesOf } from './id-range.ts'
import { idsStatement, type RunPage } from './list-ids.store.ts'
import type { Run } from './run.ts'
import { type RunRow, selectRuns, toRun } from './run-row.store.ts'

export type { RunPage } from './list-ids.store.ts'

/**
 * Newest first; `before` reads towards the newer ones, and is turned round again by the caller. First the ids are
 * looked for, stretch by stretch from where the page begins, then their runs: a statement that names the range of its
 * ids opens the partitions of that range and no others.
 */
export const listRuns = async (db: Database, org: string, page: RunPage, now: Date): Promise<Run[]> => {
  const found: Run[] = []
  for (const stretch of stretchesOf(page, now)) {
    let rest: IdRange | null = stretch
    while (rest !== null && found.length < page.limit) {
      const ids: string[] = await findIds(db, org, page, rest)
      found.push(...(await readRuns(db, org, page, ids)))
      // A run may have moved on since its id was found. Then there is room, and the search goes on where it ended.
      const last = ids.length < page.limit ? undefined : ids.at(-1)
      rest = last === undefined ? null : restOf(page, rest, last)
    }
  }
  return found.slice(0, page.limit)
}

const findIds = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<string[]> =>
  (await db.once<{ id: string }>(org, idsStatement(org, page, range))).map(({ id }) => id)

const readRuns = async (db: Database, org: string, page: RunPage, ids: readonly string[]): Promise<Run[]> => {
  if (ids.length === 0) return []
  const sorted = ids.toSorted()
  const rows = await db.once<RunRow>(org, rowsOf(org, ids, sorted[0], sorted.at(-1)))
  const runs = new Map(rows.map((row) => [row.id, toRun(row)]))
  return ids
    .map((id) => runs.get(id))
    .filter((run) => run !== undefined)
    .filter(({ status }) => page.status === null || page.status.includes(status))
}

const rowsOf = statement('runs.list_rows', selectRuns())

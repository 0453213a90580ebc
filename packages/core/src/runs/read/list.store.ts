import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type Fitting, isCut } from '@ars/platform/db/fitting-page'
import { statement, type Uuid } from '@ars/platform/db/statement'
import { type IdRange, idBounds, restOf, stretchesOf } from '@ars/platform/id-range'
import type { Run, RunView } from '../run/run.ts'
import { selectRuns } from '../run/run-row.store.ts'
import { type RunRow, toRun } from '../run/run-row.ts'
import { findIds, findPage } from './list-ids.store.ts'
import { fits, isAskedAlone, isEmpty, type RunPage } from './run-page.ts'

/** `isCut`: there are more runs, although the page is not full. */
export type RunRows = { runs: Run[]; isCut: boolean }

// A preview is short, but the database decompresses all of a payload for it.
const maxBytes: Readonly<Record<RunView, number>> = { full: limits.pageBytes, summary: 33_554_432 }

/**
 * Newest first. With `before` the order is oldest first, and the caller reverses it. Ranges of ids are read one after the
 * other from the start of the page: a statement with a range of ids opens only the partitions of that range. The page
 * ends early by bytes, after at least one run.
 */
export const listRuns = async (db: Database, org: string, page: RunPage, now: Date): Promise<RunRows> => {
  const found: Run[] = []
  let left = maxBytes[page.view]
  if (isEmpty(page)) return { runs: found, isCut: false }
  for (const stretch of stretchesOf(page, now)) {
    let rest: IdRange | null = stretch
    while (rest !== null && found.length < page.limit) {
      // Without bytes left, one more run is read only to know whether there is one.
      const { runs, last, ...read } = await readStretch(db, org, page, { range: rest, maxBytes: Math.max(left, 1) })
      if (left <= 0 && runs.length > 0) return { runs: found, isCut: true }
      found.push(...runs)
      if (read.isCut) return { runs: found.slice(0, page.limit), isCut: true }
      left -= read.bytes
      rest = last === null ? null : restOf(page, rest, last)
    }
  }
  return { runs: found.slice(0, page.limit), isCut: false }
}

/** `last`: the id at which the page was full; null: there are no more. */
type PartialPage = RunRows & { bytes: number; last: string | null }
type Asked = { range: IdRange; maxBytes: number }

const readStretch = async (db: Database, org: string, page: RunPage, asked: Asked): Promise<PartialPage> => {
  if (isAskedAlone(page)) {
    const rows = await findPage(db, org, page, asked)
    const last = lastOf(
      page,
      rows.map(({ id }) => id),
    )
    const { runs, isCut: isCutByActions } = await withActions(db, org, rows.map(toRun), page.view)
    return { runs, last, bytes: bytesOf(rows), isCut: isCut(rows) || isCutByActions }
  }
  const ids = await findIds(db, org, page, asked.range)
  const rows = await readRows(db, org, ids, { view: page.view, maxBytes: asked.maxBytes })
  // The status of a run may have changed since its id was found. The search then continues after the last id.
  const runs = rows.map(toRun).filter((run) => fits(run, page))
  return { runs, last: lastOf(page, ids), bytes: bytesOf(rows), isCut: isCut(rows) }
}

const lastOf = ({ limit }: RunPage, ids: readonly string[]): string | null =>
  ids.length < limit ? null : (ids.at(-1) ?? null)

const bytesOf = (rows: readonly { bytes: number }[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0)

/** Few runs wait for a person, so open actions are read only when a page has such runs. */
const withActions = async (db: Database, org: string, runs: readonly Run[], view: RunView): Promise<RunRows> => {
  const asking = runs.filter(({ status }) => status === 'requires_action').map(({ id }) => id)
  const rows = await readRows(db, org, asking, { view, maxBytes: maxBytes[view] })
  const asked = new Map(rows.map((row) => [row.id, toRun(row)]))
  const complete = runs.map((run) => asked.get(run.id) ?? run)
  if (!isCut(rows)) return { runs: complete, isCut: false }
  // The page ends before the first run whose actions did not fit.
  const missing = asking.find((id) => !asked.has(id))
  return {
    runs: complete.slice(
      0,
      runs.findIndex(({ id }) => id === missing),
    ),
    isCut: true,
  }
}

/**
 * The runs with these ids, in this order, without those that do not exist, as many as fit into a page. If any exists,
 * at least one.
 */
export const readRuns = async (db: Database, org: string, ids: readonly string[]): Promise<Run[]> =>
  (await readRows(db, org, ids, { view: 'full', maxBytes: maxBytes.full })).map(toRun)

const readRows = async (
  db: Database,
  org: string,
  ids: readonly string[],
  { view, maxBytes }: { view: RunView; maxBytes: number },
): Promise<Fitting<RunRow>[]> =>
  ids.length === 0 ? [] : db.once(org, rowsOf[view]({ org, ids, ...idBounds(ids), maxBytes }))

type RowsParameters = {
  org: Uuid
  ids: readonly Uuid[]
  firstId: Uuid | null
  lastId: Uuid | null
  maxBytes: number
}

const rowsOf = {
  full: statement<RowsParameters, Fitting<RunRow>>('runs.list_rows', selectRuns.full),
  summary: statement<RowsParameters, Fitting<RunRow>>('runs.list_summaries', selectRuns.summary),
} as const

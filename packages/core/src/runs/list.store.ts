import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { type IdRange, restOf, stretchesOf } from '../id-range.ts'
import { findIds, findPage } from './list-ids.store.ts'
import type { Run } from './run.ts'
import { fits, isAskedAlone, isEmpty, type RunPage } from './run-page.ts'
import { selectRuns } from './run-row.store.ts'
import { type RunRow, toRun } from './run-row.ts'

/**
 * Newest first; `before` reads towards the newer ones, and is turned round again by the caller. It is looked for stretch
 * by stretch from where the page begins: a statement that names the range of its ids opens the partitions of that range
 * and no others.
 */
export const listRuns = async (db: Database, org: string, page: RunPage, now: Date): Promise<Run[]> => {
  const found: Run[] = []
  if (isEmpty(page)) return found
  for (const stretch of stretchesOf(page, now)) {
    let rest: IdRange | null = stretch
    while (rest !== null && found.length < page.limit) {
      const { runs, last } = await readStretch(db, org, page, rest)
      found.push(...runs)
      rest = last === null ? null : restOf(page, rest, last)
    }
  }
  return found.slice(0, page.limit)
}

/** `last` is where it stopped because the page was full; null when there is no more. */
type Piece = { runs: Run[]; last: string | null }

const readStretch = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<Piece> => {
  if (isAskedAlone(page)) {
    const runs = (await findPage(db, org, page, range)).map(toRun)
    return {
      runs: await withActions(db, org, runs),
      last: lastOf(
        page,
        runs.map(({ id }) => id),
      ),
    }
  }
  const ids = await findIds(db, org, page, range)
  const runs = await readRuns(db, org, ids)
  // A run may have moved on since its id was found. Then there is room, and the search goes on where it ended.
  return { runs: runs.filter((run) => fits(run, page)), last: lastOf(page, ids) }
}

const lastOf = ({ limit }: RunPage, ids: readonly string[]): string | null =>
  ids.length < limit ? null : (ids.at(-1) ?? null)

/** Few runs wait for a person; what they ask is read when there are some. */
const withActions = async (db: Database, org: string, runs: readonly Run[]): Promise<Run[]> => {
  const asking = runs.filter(({ status }) => status === 'requires_action').map(({ id }) => id)
  const asked = new Map((await readRuns(db, org, asking)).map((run) => [run.id, run]))
  return runs.map((run) => asked.get(run.id) ?? run)
}

/** The runs with these ids, in this order; those that are not there are left out. */
export const readRuns = async (db: Database, org: string, ids: readonly string[]): Promise<Run[]> => {
  if (ids.length === 0) return []
  const sorted = ids.toSorted()
  const rows = await db.once<RunRow>(org, rowsOf(org, ids, sorted[0], sorted.at(-1)))
  const runs = new Map(rows.map((row) => [row.id, toRun(row)]))
  return ids.map((id) => runs.get(id)).filter((run) => run !== undefined)
}

/** The first of these ids that together are stored in so many bytes; at least one, if any of them is there. */
export const listFitting = async (
  db: Database,
  org: string,
  ids: readonly string[],
  bytesMost: number,
): Promise<string[]> => {
  const sorted = ids.toSorted()
  const rows = await db.once<{ id: string }>(org, fitting(org, ids, sorted[0], sorted.at(-1), bytesMost))
  return rows.map(({ id }) => id)
}

const rowsOf = statement('runs.list_rows', selectRuns)

// The size is the stored one, which is known without reading the value.
const fitting = statement(
  'runs.list_fitting',
  `select id
     from (
       select asked.id, asked.number,
              coalesce(sum(r.bytes + coalesce(e.bytes, 0)) over (order by asked.number rows between unbounded preceding and 1 preceding), 0)
                as before
         from unnest($2::uuid[]) with ordinality as asked (id, number)
         cross join lateral (
           select pg_column_size(r.input) as bytes from runs r
            where r.org_id = $1 and r.id = asked.id and r.id between $3 and $4 limit 1
         ) r
         left join lateral (
           select pg_column_size(e.output) as bytes from run_results e
            where e.org_id = $1 and e.run_id = asked.id and e.run_id between $3 and $4 limit 1
         ) e on true
     ) sized
    where before < $5
    order by number`,
)

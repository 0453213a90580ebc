import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type IdRange, idBounds, restOf, stretchesOf } from '@ars/platform/id-range'
import type { Run } from '../run/run.ts'
import { selectRuns } from '../run/run-row.store.ts'
import { type RunRow, toRun } from '../run/run-row.ts'
import { findIds, findPage } from './list-ids.store.ts'
import { fits, isAskedAlone, isEmpty, type RunPage } from './run-page.ts'

/**
 * Newest first. With `before` the order is oldest first, and the caller reverses it. Ranges of ids are read one after the
 * other from the start of the page: a statement with a range of ids opens only the partitions of that range.
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

/** `last`: the id at which the page was full; null: there are no more. */
type PartialPage = { runs: Run[]; last: string | null }

const readStretch = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<PartialPage> => {
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
  // The status of a run may have changed since its id was found. The search then continues after the last id.
  return { runs: runs.filter((run) => fits(run, page)), last: lastOf(page, ids) }
}

const lastOf = ({ limit }: RunPage, ids: readonly string[]): string | null =>
  ids.length < limit ? null : (ids.at(-1) ?? null)

/** Few runs wait for a person, so open actions are read only when a page has such runs. */
const withActions = async (db: Database, org: string, runs: readonly Run[]): Promise<Run[]> => {
  const asking = runs.filter(({ status }) => status === 'requires_action').map(({ id }) => id)
  const asked = new Map((await readRuns(db, org, asking)).map((run) => [run.id, run]))
  return runs.map((run) => asked.get(run.id) ?? run)
}

/** The runs with these ids, in this order, without those that do not exist. */
export const readRuns = async (db: Database, org: string, ids: readonly string[]): Promise<Run[]> => {
  if (ids.length === 0) return []
  const rows = await db.once(org, rowsOf({ org, ids, ...idBounds(ids) }))
  const runs = new Map(rows.map((row) => [row.id, toRun(row)]))
  return ids.map((id) => runs.get(id)).filter((run) => run !== undefined)
}

/** The first of these ids whose stored sizes add up to at most `maxBytes`; at least one, if any exists. */
export const listFitting = async (
  db: Database,
  org: string,
  ids: readonly string[],
  maxBytes: number,
): Promise<string[]> => {
  const rows = await db.once(org, fitting({ org, ids, ...idBounds(ids), maxBytes }))
  return rows.map(({ id }) => id)
}

const rowsOf = statement<{ org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }, RunRow>(
  'runs.list_rows',
  selectRuns,
)

// The size is that of the stored value, which is known without reading it.
const fitting = statement<
  { org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null; maxBytes: number },
  { id: string }
>(
  'runs.list_fitting',
  sql`select id
     from (
       select asked.id, asked.number,
              coalesce(sum(r.bytes + coalesce(e.bytes, 0)) over (order by asked.number rows between unbounded preceding and 1 preceding), 0)
                as before
         from unnest(:ids::uuid[]) with ordinality as asked (id, number)
         cross join lateral (
           select pg_column_size(r.input) as bytes from runs r
            where r.org_id = :org and r.id = asked.id and r.id between :firstId and :lastId limit 1
         ) r
         left join lateral (
           select pg_column_size(e.output) as bytes from run_results e
            where e.org_id = :org and e.run_id = asked.id and e.run_id between :firstId and :lastId limit 1
         ) e on true
     ) sized
    where before < :maxBytes
    order by number`,
)

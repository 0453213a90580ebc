import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type TextArray, textArray } from '@ars/platform/db/text-array'
import { idBounds } from '@ars/platform/id-range'

/** The stored bodies of events. */
export const findBodies = async (db: Database, org: string, ids: readonly string[]): Promise<Map<string, string>> =>
  toMap(await db.once(org, findAll({ org, ids, ...idBounds(ids) })))

/**
 * Stores bodies of events that have none yet, and answers the stored ones. An event whose run data was erased is left out.
 * All are one round trip and one commit.
 */
export const freezeBodies = async (
  db: Database,
  org: string,
  bodies: readonly FreshBody[],
): Promise<Map<string, string>> => {
  // In the same order in every process, so that they cannot deadlock.
  const sorted = bodies.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const ofRuns = sorted.flatMap(({ id, run, body }) => (run === null ? [] : [{ id, run, body }]))
  const others = sorted.filter(({ run }) => run === null)
  const ids = bodies.map(({ id }) => id)
  const results = await db.batch(org, [
    preferIndexes(),
    ...(ofRuns.length === 0 ? [] : [freezeOfRuns({ org, ...toColumns(ofRuns) })]),
    ...others.map(({ id, pipelineRun, body }) =>
      pipelineRun === null
        ? freeze({ org, id, body })
        : freezeOfPipelineRun({ org, id, body, pipelineRunId: pipelineRun }),
    ),
    // It sees the bodies of other processes: the statements before it have waited for their commits.
    findAll({ org, ids, ...idBounds(ids) }),
  ])
  return toMap(results.at(-1) as Body[])
}

const toColumns = (bodies: readonly { id: string; run: string; body: string }[]) => {
  const runIds = bodies.map(({ run }) => run)
  return {
    ids: bodies.map(({ id }) => id),
    runIds,
    bodies: textArray(bodies.map(({ body }) => body)),
    ...idBounds(runIds),
  }
}

/** `run`, `pipelineRun`: whose data the body holds. */
export type FreshBody = { id: string; run: string | null; pipelineRun: string | null; body: string }

type Body = { event_id: string; body: string }

const toMap = (rows: readonly Body[]): Map<string, string> =>
  new Map(rows.map(({ event_id, body }) => [event_id, body]))

type Bounds = { firstId: Uuid | null; lastId: Uuid | null }

// The range limits the partitions that are opened.
const findAll = statement<{ org: Uuid; ids: readonly Uuid[] } & Bounds, Body>(
  'events.bodies',
  sql`select event_id, body from event_bodies
    where org_id = :org and event_id = any (:ids::uuid[]) and event_id between :firstId and :lastId`,
)

const freeze = statement<{ org: Uuid; id: Uuid; body: string }>(
  'events.freeze',
  sql`insert into event_bodies (event_id, org_id, body) values (:id, :org, :body) on conflict do nothing`,
)

type RunBodies = { org: Uuid; ids: readonly Uuid[]; runIds: readonly Uuid[]; bodies: TextArray } & Bounds

const freezeOfRuns = statement<RunBodies>(
  'events.freeze_of_runs',
  sql`with run as materialized (
     -- An erasure changes the row of the run first, then deletes bodies. The lock makes one wait for the other, so that
     -- erased data cannot return in a body.
     select id, erased_at from runs
      where org_id = :org and id = any (:runIds::uuid[]) and id between :firstId and :lastId order by id for share
   )
   insert into event_bodies (event_id, org_id, body)
   select b.id, :org, b.body from unnest(:ids::uuid[], :runIds::uuid[], :bodies::text[]) as b (id, run_id, body)
     join run on run.id = b.run_id where run.erased_at is null order by b.id
   on conflict do nothing`,
)

const freezeOfPipelineRun = statement<{ org: Uuid; id: Uuid; body: string; pipelineRunId: Uuid }>(
  'events.freeze_of_pipeline_run',
  sql`with pipeline_run as (
     -- As above: an erasure changes this row first.
     select erased_at from pipeline_runs where org_id = :org and id = :pipelineRunId for share
   )
   insert into event_bodies (event_id, org_id, body) select :id, :org, :body from pipeline_run where erased_at is null
   on conflict do nothing`,
)

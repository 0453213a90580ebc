import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** The stored bodies of events. */
export const findBodies = async (db: Database, org: string, ids: readonly string[]): Promise<Map<string, string>> =>
  toMap(await db.once(org, findAll({ org, ids })))

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
  const keep = bodies
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, run, pipelineRun, body }) => {
      if (pipelineRun !== null) return freezeOfPipelineRun({ org, id, body, pipelineRunId: pipelineRun })
      return run === null ? freeze({ org, id, body }) : freezeOfRun({ org, id, body, runId: run })
    })
  const ids = bodies.map(({ id }) => id)
  // The last statement sees the bodies of other processes; those before it have waited for their commits.
  const results = await db.batch(org, [...keep, findAll({ org, ids })])
  return toMap(results.at(-1) as Body[])
}

/** `run`, `pipelineRun`: whose data the body holds. */
export type FreshBody = { id: string; run: string | null; pipelineRun: string | null; body: string }

type Body = { event_id: string; body: string }

const toMap = (rows: readonly Body[]): Map<string, string> =>
  new Map(rows.map(({ event_id, body }) => [event_id, body]))

const findAll = statement<{ org: Uuid; ids: readonly Uuid[] }, Body>(
  'events.bodies',
  sql`select event_id, body from event_bodies where org_id = :org and event_id = any (:ids::uuid[])`,
)

const freeze = statement<{ org: Uuid; id: Uuid; body: string }>(
  'events.freeze',
  sql`insert into event_bodies (event_id, org_id, body) values (:id, :org, :body) on conflict do nothing`,
)

const freezeOfRun = statement<{ org: Uuid; id: Uuid; body: string; runId: Uuid }>(
  'events.freeze_of_run',
  sql`with run as (
     -- An erasure changes the row of the run first, then deletes bodies. The lock makes one wait for the other, so that
     -- erased data cannot return in a body.
     select erased_at from runs where org_id = :org and id = :runId for share
   )
   insert into event_bodies (event_id, org_id, body) select :id, :org, :body from run where erased_at is null
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

import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/**
 * Erases the data of a pipeline run that has ended, except that of its runs, and keeps the record. Its row is changed first: a process that
 * stores the body of its event locks that row.
 */
export const erasePipelineRun = async (db: Database, org: string, id: string): Promise<void> => {
  for (const erase of [eraseRun, eraseLists, eraseQuestions]) await db.once(org, erase({ org, id }))
}

/** Runs of the pipeline run whose data is still there, at most `max`. */
export const listUnerasedRuns = async (
  db: Database,
  org: string,
  { id, max }: { id: string; max: number },
): Promise<string[]> => (await db.once(org, unerased({ org, id, max }))).map((row) => row.id)

type One = { org: Uuid; id: Uuid }

const eraseRun = statement<One>(
  'pipelines.erase_run',
  sql`update pipeline_runs
         set input = '{}', output = null, stored_bytes = 0, erased_at = coalesce(erased_at, app_now()),
             -- The code stays; the message may quote the input.
             error = case when error is not null then (error::jsonb || '{"message": "Erased"}')::json end
       where org_id = :org and id = :id and finished_at is not null`,
)

const eraseLists = statement<One>(
  'pipelines.erase_lists',
  sql`update pipeline_steps set list = null, message = null
       where org_id = :org and pipeline_run_id = :id and (list is not null or message is not null)`,
)

const eraseQuestions = statement<One>(
  'pipelines.erase_questions',
  sql`update pipeline_items set question = null, payload = null, comment = null, message = null
       where org_id = :org and pipeline_run_id = :id and (question is not null or message is not null)`,
)

const unerased = statement<One & { max: number }, { id: string }>(
  'pipelines.unerased_runs',
  sql`select id from runs where org_id = :org and pipeline_run_id = :id and erased_at is null order by id limit :max`,
)

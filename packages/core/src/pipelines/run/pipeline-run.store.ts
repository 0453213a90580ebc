import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Fitting, fittingFrame, isCut } from '@ars/platform/db/fitting-page'
import { type Json, type Statement, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { PipelineRunRow, PipelineStepRow } from './pipeline-run.ts'

export type StoredPipelineRun = { run: PipelineRunRow; steps: PipelineStepRow[] }

/** Those that exist, newest first, with the rows of their steps. */
export const readPipelineRuns = async (
  db: Database,
  org: string,
  ids: readonly string[],
): Promise<StoredPipelineRun[]> => {
  if (ids.length === 0) return []
  const many = { org, ids, ...idBounds(ids) }
  const [runs, steps] = await db.batch(org, [findRuns(many), findSteps(many)])
  return runs.map((run) => ({ run, steps: steps.filter((step) => step.pipeline_run_id === run.id) }))
}

export type PipelineRunPage = {
  /** Only those of this owner. */
  owner: string | null
  /** Only those whose agents are all among these, by their ids in definitions. */
  agentIds: readonly string[] | null
  pipelineId: string | null
  status: readonly string[] | null
  createdAfter: Date | null
  createdBefore: Date | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listPipelineRunIds = async (
  db: Database,
  org: string,
  page: PipelineRunPage,
): Promise<{ ids: string[]; isCut: boolean }> => {
  const rows = await db.once(org, listIds(org, page))
  return { ids: rows.map(({ id }) => id), isCut: isCut(rows) }
}

export type NewPipelineRun = {
  id: string
  pipelineId: string
  version: number
  input: unknown
  metadata: Record<string, string>
  timeoutSeconds: number
  author: { type: 'key' | 'user'; id: string; owner: string | null }
  rerun?: { of: string; fromStep: string } | undefined
}

/** Written with its head: from now on it is due. */
export const insertPipelineRun = async (tx: Tx, org: string, run: NewPipelineRun): Promise<void> => {
  await tx.query(
    insert({
      org,
      id: run.id,
      pipelineId: run.pipelineId,
      version: run.version,
      input: JSON.stringify(run.input),
      metadata: JSON.stringify(run.metadata),
      timeoutSeconds: run.timeoutSeconds,
      createdBy: run.author.id,
      createdByType: run.author.type,
      owner: run.author.owner,
      rerunOf: run.rerun?.of ?? null,
      fromStep: run.rerun?.fromStep ?? null,
    }),
  )
}

/** What keeps an organisation from another pipeline run. */
export type StartRoom = { isFull: boolean; active: number }

/** The starts of an organisation wait for each other until the commit, so that the count stays correct. `active` is at most `max`. */
export const lockStarts = async (
  tx: Tx,
  org: string,
  { max, storageLimits }: { max: number; storageLimits: Readonly<Record<string, number>> },
): Promise<StartRoom> => {
  await tx.query(lockOrganisation({ org }))
  const [row] = await tx.query(startRoom({ org, max, storageLimits: JSON.stringify(storageLimits) }))
  return { isFull: row?.is_full ?? false, active: row?.active ?? 0 }
}

/** The pipeline with its current version. */
export const findPipelineOf = async (
  db: Database,
  org: string,
  id: string,
): Promise<{ status: 'active' | 'archived'; version: number; definition: PipelineRunRow['definition'] } | null> => {
  const [row] = await db.once(org, findPipeline({ org, id }))
  return row ?? null
}

/** False: it has ended, or is being cancelled already. */
export const requestCancel = async (db: Database, org: string, id: string): Promise<boolean> =>
  (await db.once(org, cancel({ org, id }))).length > 0

/** Steps whose completed items have an output that was erased or is no longer kept. */
export const listLostOutputs = async (
  tx: Tx,
  org: string,
  { id, keys }: { id: string; keys: readonly string[] },
): Promise<string[]> => (await tx.query(lostOutputs({ org, id, keys }))).map(({ step }) => step)

/** Copies settled steps and their items into another pipeline run, which counts the bytes of lists and questions. */
export const copySteps = async (
  tx: Tx,
  org: string,
  { from, to, keys }: { from: string; to: string; keys: readonly string[] },
): Promise<void> => {
  await Promise.all([tx.query(copyStepRows({ org, from, to, keys })), tx.query(copyItemRows({ org, from, to, keys }))])
  await tx.query(countCopiedBytes({ org, to }))
}

type One = { org: Uuid; id: Uuid }
type Many = { org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }

// The range limits the partitions that are opened.
const findRuns = statement<Many, PipelineRunRow>(
  'pipelines.find_runs',
  sql`select r.id, r.pipeline_id, r.pipeline_version, r.input, r.metadata, r.timeout_seconds, r.created_by, r.created_by_type, r.owner_id,
             r.rerun_of, r.from_step, r.created_at, r.status, r.output, r.error, r.tokens_used, r.cost_usd, r.finished_at, r.erased_at,
             h.status as head_status, v.definition
        from pipeline_runs r
        join pipeline_versions v on v.org_id = :org and v.pipeline_id = r.pipeline_id and v.version = r.pipeline_version
        left join pipeline_heads h on h.org_id = :org and h.pipeline_run_id = r.id
       where r.org_id = :org and r.id = any (:ids::uuid[]) and r.id between :firstId and :lastId order by r.id desc`,
)

const findSteps = statement<Many, PipelineStepRow>(
  'pipelines.find_steps',
  sql`with item as materialized (
        select pipeline_run_id, step, count(distinct item)::integer as begun,
               count(distinct item) filter (where outcome = 'completed')::integer as completed,
               count(*) filter (where closed_at is null)::integer as open,
               (array_agg(run_id order by item, attempt desc))[1] as run_id
          from pipeline_items
         where org_id = :org and pipeline_run_id = any (:ids::uuid[]) and pipeline_run_id between :firstId and :lastId
         group by pipeline_run_id, step
      )
      select s.pipeline_run_id, s.key, s.outcome, s.code, s.halt, coalesce(s.message, m.message) as message, s.items, s.opened_at,
             s.settled_at, i.run_id, coalesce(i.begun, 0) as begun, coalesce(i.completed, 0) as completed, coalesce(i.open, 0) as open,
             case when d.decision is null then null else json_build_object('type', d.decision, 'by', d.decided_by,
               'byType', d.decided_by_type, 'at', d.decided_at, 'askedIn', coalesce(d.asked_in, s.pipeline_run_id)) end as decision
        from pipeline_steps s
        left join item i on i.pipeline_run_id = s.pipeline_run_id and i.step = s.key
        -- An approval step has one item with one attempt.
        left join pipeline_items d on d.org_id = :org and d.pipeline_run_id = s.pipeline_run_id and d.step = s.key and d.item = 0
          and d.attempt = 1 and d.pipeline_run_id between :firstId and :lastId and d.decision is not null
        left join lateral (
          select coalesce(f.message, (select error ->> 'message' from run_results where org_id = :org and run_id = f.run_id)) as message
            from pipeline_items f
           where f.org_id = :org and f.pipeline_run_id = s.pipeline_run_id and f.pipeline_run_id between :firstId and :lastId
             and f.step = s.key and f.code = coalesce(s.code, s.halt) and f.outcome = 'failed'
           order by f.closed_at, f.item limit 1
        ) m on s.outcome = 'failed'
       where s.org_id = :org and s.pipeline_run_id = any (:ids::uuid[]) and s.pipeline_run_id between :firstId and :lastId`,
)

const listIds = (org: string, page: PipelineRunPage): Statement<Fitting<{ id: string }>> => {
  const conditions = [
    dynamicSql`r.org_id = ${org}`,
    page.owner && dynamicSql`r.owner_id = ${page.owner}`,
    page.pipelineId && dynamicSql`r.pipeline_id = ${page.pipelineId}`,
    page.status && dynamicSql`coalesce(r.status, h.status) = any (${[...page.status]}::text[])`,
    page.createdAfter && dynamicSql`r.created_at >= ${page.createdAfter}`,
    page.createdBefore && dynamicSql`r.created_at < ${page.createdBefore}`,
    page.after && dynamicSql`r.id < ${page.after}`,
    page.before && dynamicSql`r.id > ${page.before}`,
    page.agentIds &&
      dynamicSql`not exists (select from pipeline_versions v, json_array_elements(v.definition -> 'steps') s
        where v.org_id = ${org} and v.pipeline_id = r.pipeline_id and v.version = r.pipeline_version
          and s ->> 'agent_id' <> all (${[...page.agentIds]}::text[]))`,
  ].filter((condition): condition is RawBuilder<unknown> => typeof condition === 'object' && condition !== null)
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  const { begin, middle, end } = fittingFrame({
    inner: 'id',
    order: page.before === null ? 'id desc' : 'id',
  })
  return toStatement(dynamicSql`${dynamicSql.raw(begin)}select r.id,
        octet_length(r.input::text) + coalesce(octet_length(r.output::text), 0)
          + (select count(*) from pipeline_steps s where s.org_id = ${org} and s.pipeline_run_id = r.id) * ${stepBytes} as bytes
      from pipeline_runs r
      left join pipeline_heads h on h.org_id = ${org} and h.pipeline_run_id = r.id
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by r.id ${order} limit ${page.limit}
    ${dynamicSql.raw(middle)}${limits.pageBytes}${dynamicSql.raw(end)}`)
}

/** What a step adds to the response, about. */
const stepBytes = 300

type NewRow = One & {
  pipelineId: Uuid
  version: number
  input: Json
  metadata: Json
  timeoutSeconds: number
  createdBy: Uuid
  createdByType: string
  owner: Uuid | null
  rerunOf: Uuid | null
  fromStep: string | null
}

const insert = statement<NewRow>(
  'pipelines.insert_run',
  sql`with run as (
        insert into pipeline_runs (id, org_id, pipeline_id, pipeline_version, input, metadata, timeout_seconds, created_by, created_by_type,
               owner_id, rerun_of, from_step, stored_bytes)
        values (:id, :org, :pipelineId, :version, :input::json, :metadata, :timeoutSeconds, :createdBy, :createdByType, :owner, :rerunOf,
                :fromStep, octet_length(:input::json::text))
        returning id
      )
      insert into pipeline_heads (pipeline_run_id, org_id, pipeline_id, deadline_at)
      select id, :org, :pipelineId, app_now() + make_interval(secs => :timeoutSeconds::integer) from run`,
)

const countCopiedBytes = statement<{ org: Uuid; to: Uuid }>(
  'pipelines.count_copied_bytes',
  sql`update pipeline_runs
         set stored_bytes = stored_bytes
             + (select coalesce(sum(octet_length(list::text)), 0) from pipeline_steps where org_id = :org and pipeline_run_id = :to)
             + (select coalesce(sum(octet_length(question::text)), 0) from pipeline_items where org_id = :org and pipeline_run_id = :to)
       where org_id = :org and id = :to`,
)

const lockOrganisation = statement<{ org: Uuid }>(
  'pipelines.lock_starts',
  sql`select pg_advisory_xact_lock(hashtextextended('pipeline_runs ' || :org::text, 0)) is null`,
)

const startRoom = statement<
  { org: Uuid; max: number; storageLimits: Json },
  { active: number; is_full: boolean | null }
>(
  'pipelines.start_room',
  sql`select stored_bytes >= (:storageLimits::json ->> plan)::bigint as is_full,
             (select count(*)::integer from (select from pipeline_heads where org_id = :org limit :max) h) as active
        from organisations where id = :org`,
)

const findPipeline = statement<
  One,
  { status: 'active' | 'archived'; version: number; definition: PipelineRunRow['definition'] }
>(
  'pipelines.find_for_run',
  sql`select p.status, p.version, v.definition
        from pipelines p join pipeline_versions v on v.org_id = :org and v.pipeline_id = p.id and v.version = p.version
       where p.org_id = :org and p.id = :id`,
)

const cancel = statement<One, { pipeline_run_id: string }>(
  'pipelines.cancel_run',
  sql`update pipeline_heads set status = 'cancelling', due_at = app_now()
       where org_id = :org and pipeline_run_id = :id and status = 'running' returning pipeline_run_id`,
)

const lostOutputs = statement<One & { keys: readonly string[] }, { step: string }>(
  'pipelines.lost_outputs',
  sql`select distinct i.step
        from pipeline_items i
        left join runs r on r.org_id = :org and r.id = i.run_id and r.erased_at is null
        left join run_results x on x.org_id = :org and x.run_id = r.id
       where i.org_id = :org and i.pipeline_run_id = :id and i.step = any (:keys::text[]) and i.outcome = 'completed'
         and i.run_id is not null and x.run_id is null
       order by i.step`,
)

type Copy = { org: Uuid; from: Uuid; to: Uuid; keys: readonly string[] }

const copyStepRows = statement<Copy>(
  'pipelines.copy_steps',
  sql`insert into pipeline_steps (pipeline_run_id, key, org_id, verdict, code, message, items, next_item, halt, list, outcome, opened_at, settled_at)
      select :to, key, :org, verdict, code, message, items, next_item, halt, list, outcome, opened_at, settled_at
        from pipeline_steps
       where org_id = :org and pipeline_run_id = :from and key = any (:keys::text[]) and outcome is not null`,
)

const copyItemRows = statement<Copy>(
  'pipelines.copy_items',
  sql`insert into pipeline_items (pipeline_run_id, step, item, attempt, org_id, state, code, message, run_id, question, decision, payload, comment,
             decided_by, decided_by_type, decided_at, asked_in, outcome, closed_at)
      select :to, step, item, attempt, :org, state, code, message, run_id, question, decision, payload, comment, decided_by, decided_by_type,
             decided_at, case when decision is not null then coalesce(asked_in, :from::uuid) end, outcome, closed_at
        from pipeline_items
       where org_id = :org and pipeline_run_id = :from and step = any (:keys::text[]) and closed_at is not null`,
)

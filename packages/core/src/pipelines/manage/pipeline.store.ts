import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { PipelineRow } from './pipeline.ts'

export const findPipeline = async (db: Database, org: string, id: string): Promise<PipelineRow | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/**
 * The pipeline, locked until the commit; null: there is none. It is read by a second statement: one statement that waits for the lock
 * would join the new row with the versions that it saw before it waited.
 */
export const lockPipeline = async (tx: Tx, org: string, id: string): Promise<PipelineRow | null> => {
  const [locked] = await tx.query(lock({ org, id }))
  return locked ? readPipeline(tx, org, id) : null
}

/** The pipeline as it is in the transaction. */
export const readPipeline = async (tx: Tx, org: string, id: string): Promise<PipelineRow> => {
  const [row] = await tx.query(find({ org, id }))
  if (!row) throw new Error('The database did not return the pipeline that was locked or written')
  return row
}

export type PipelinePage = {
  status: readonly string[] | null
  /** A text in the name or the description. */
  text: string | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listPipelines = (db: Database, org: string, page: PipelinePage): Promise<Fitting<PipelineRow>[]> => {
  const { status, text, after, before, limit } = page
  // These three characters are special in `ilike`.
  const pattern = text === null ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const asked = { org, status, pattern, limit, maxBytes: limits.pageBytes }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockPipelines = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll({ org }))
}

/** Counts the pipelines that are not archived. */
export const countPipelines = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.pipelines ?? 0
}

export type NewPipeline = Pick<PipelineRow, 'id' | 'name' | 'description' | 'metadata'>

/** Without its first version, which `insertPipelineVersion` adds. */
export const insertPipeline = async (
  tx: Tx,
  org: string,
  { id, name, description, metadata }: NewPipeline,
): Promise<void> => {
  await tx.query(add({ org, id, name, description, metadata: JSON.stringify(metadata) }))
}

/** Points the locked pipeline at a version that exists. */
export const updatePipeline = async (
  tx: Tx,
  org: string,
  { id, name, description, metadata, version }: NewPipeline & { version: number },
): Promise<void> => {
  await tx.query(change({ org, id, name, description, version, metadata: JSON.stringify(metadata) }))
}

export const archivePipeline = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(archive({ org, id }))
}

export const unarchivePipeline = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(unarchive({ org, id }))
}

const columns =
  'p.id, p.name, p.description, p.status, p.version, p.metadata, p.created_at, p.updated_at, p.archived_at, v.definition'
const pageColumns = columns.replaceAll(/\b[pv]\./g, '')
const current =
  'pipelines p join pipeline_versions v on v.org_id = p.org_id and v.pipeline_id = p.id and v.version = p.version'

const find = statement<{ org: Uuid; id: Uuid }, PipelineRow>(
  'pipelines.find',
  sql`select ${columns} from ${current} where p.org_id = :org and p.id = :id`,
)

const lock = statement<{ org: Uuid; id: Uuid }, { id: Uuid }>(
  'pipelines.lock',
  sql`select id from pipelines where org_id = :org and id = :id for update`,
)

type Asked = { org: Uuid; status: readonly string[] | null; pattern: string | null; limit: number; maxBytes: number }

const filter = sql`(:status::text[] is null or p.status = any (:status))
      and (:pattern::text is null or p.name ilike :pattern or p.description ilike :pattern)`

const listOlder = statement<Asked & { after: Uuid | null }, Fitting<PipelineRow>>(
  'pipelines.list_older',
  fittingPage(
    `select ${columns}, octet_length(v.definition::text) as bytes from ${current}
    where p.org_id = :org and (:after::uuid is null or p.id < :after) and ${filter}
    order by p.id desc limit :limit`,
    { inner: pageColumns, order: 'id desc' },
  ),
)

const listNewer = statement<Asked & { before: Uuid }, Fitting<PipelineRow>>(
  'pipelines.list_newer',
  fittingPage(
    `select ${columns}, octet_length(v.definition::text) as bytes from ${current}
    where p.org_id = :org and p.id > :before and ${filter} order by p.id limit :limit`,
    { inner: pageColumns, order: 'id' },
  ),
)

const lockAll = statement<{ org: Uuid }>(
  'pipelines.lock_all',
  sql`select pg_advisory_xact_lock(hashtextextended('pipelines ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid }, { pipelines: number }>(
  'pipelines.count',
  sql`select count(*)::integer as pipelines from pipelines where org_id = :org and status = 'active'`,
)

type Written = { org: Uuid; id: Uuid; name: string; description: string | null; metadata: Json }

const add = statement<Written>(
  'pipelines.add',
  sql`insert into pipelines (id, org_id, name, description, metadata) values (:id, :org, :name, :description, :metadata)`,
)

const change = statement<Written & { version: number }>(
  'pipelines.change',
  sql`update pipelines set name = :name, description = :description, metadata = :metadata, version = :version, updated_at = app_now()
       where org_id = :org and id = :id`,
)

const archive = statement<{ org: Uuid; id: Uuid }>(
  'pipelines.archive',
  sql`update pipelines set status = 'archived', archived_at = app_now(), updated_at = app_now() where org_id = :org and id = :id`,
)

const unarchive = statement<{ org: Uuid; id: Uuid }>(
  'pipelines.unarchive',
  sql`update pipelines set status = 'active', archived_at = null, updated_at = app_now() where org_id = :org and id = :id`,
)

import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { PipelineAuthor, PipelineContent, PipelineVersionRow } from './pipeline.ts'

export type NewPipelineVersion = PipelineContent & { pipelineId: string; version: number }

/** The caller holds the lock of the pipeline, so that the number is unused. */
export const insertPipelineVersion = async (
  tx: Tx,
  org: string,
  { pipelineId, version, name, description, definition }: NewPipelineVersion,
  author: PipelineAuthor,
): Promise<void> => {
  const row = { pipelineId, version, name, description, definition: JSON.stringify(definition) }
  await tx.query(add({ org, ...row, ...author }))
}

/** The versions with these numbers that exist. */
export const findPipelineVersions = (
  db: Database,
  org: string,
  { pipelineId, numbers }: { pipelineId: string; numbers: readonly number[] },
): Promise<PipelineVersionRow[]> => db.once(org, find({ org, pipelineId, numbers }))

export type PipelineVersionPage = { pipelineId: string; after: number | null; before: number | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listPipelineVersions = (
  db: Database,
  org: string,
  { pipelineId, after, before, limit }: PipelineVersionPage,
): Promise<Fitting<PipelineVersionRow>[]> => {
  const asked = { org, pipelineId, limit, maxBytes: limits.pageBytes }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

const columns = 'pipeline_id, version, name, description, definition, created_by, created_by_type, created_at'

const add = statement<
  Omit<NewPipelineVersion, 'definition'> & { org: Uuid; definition: Json; by: Uuid; type: PipelineAuthor['type'] }
>(
  'pipeline_versions.add',
  sql`insert into pipeline_versions (org_id, pipeline_id, version, name, description, definition, created_by, created_by_type)
      values (:org, :pipelineId, :version, :name, :description, :definition, :by, :type)`,
)

const find = statement<{ org: Uuid; pipelineId: Uuid; numbers: readonly number[] }, PipelineVersionRow>(
  'pipeline_versions.find',
  sql`select ${columns} from pipeline_versions
       where org_id = :org and pipeline_id = :pipelineId and version = any (:numbers::integer[])`,
)

type Asked = { org: Uuid; pipelineId: Uuid; limit: number; maxBytes: number }

const listOlder = statement<Asked & { after: number | null }, Fitting<PipelineVersionRow>>(
  'pipeline_versions.list_older',
  fittingPage(
    `select ${columns}, octet_length(definition::text) as bytes from pipeline_versions
    where org_id = :org and pipeline_id = :pipelineId and (:after::integer is null or version < :after)
    order by version desc limit :limit`,
    { inner: columns, order: 'version desc' },
  ),
)

const listNewer = statement<Asked & { before: number }, Fitting<PipelineVersionRow>>(
  'pipeline_versions.list_newer',
  fittingPage(
    `select ${columns}, octet_length(definition::text) as bytes from pipeline_versions
    where org_id = :org and pipeline_id = :pipelineId and version > :before order by version limit :limit`,
    { inner: columns, order: 'version' },
  ),
)

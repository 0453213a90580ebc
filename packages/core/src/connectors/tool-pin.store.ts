import type { Database, Tx } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ToolMark, ToolRow } from './tool.ts'
import type { PinnedTool } from './tool-list.ts'
import type { HashedManifest } from './tool-manifest.ts'

export type Selected = {
  /** Connectors of which every tool is read. */
  whole: readonly string[]
  /** Connectors of which the named tools are read. */
  partly: readonly string[]
  names: readonly string[]
}

/** The tools of a step, by connector. */
export const findPinned = (
  db: Database,
  org: string,
  selected: Selected,
): Promise<(PinnedTool & { connector_id: string })[]> => db.once(org, pinned({ org, ...selected }))

/** Whether a tool is approved with this hash now. */
export const isApproved = async (
  db: Database,
  org: string,
  { connectorId, name, hash }: { connectorId: string; name: string; hash: string },
): Promise<boolean> => (await db.once(org, approvedNow({ org, connectorId, name, hash }))).length > 0

export const listToolRows = (db: Database, org: string, connectorId: string): Promise<ToolRow[]> =>
  db.once(org, rows({ org, connectorId }))

/** Call it under the lock of the connector. */
export const readToolRows = (tx: Tx, org: string, connectorId: string): Promise<ToolRow[]> =>
  tx.query(rows({ org, connectorId }))

export const listToolMarks = (db: Database, org: string, connectorId: string): Promise<ToolMark[]> =>
  db.once(org, marks({ org, connectorId }))

/** The approved manifests of a connector, also of tools that are off. */
export const measureApproved = async (
  tx: Tx,
  org: string,
  connectorId: string,
): Promise<{ tools: number; bytes: number }> => {
  const [row] = await tx.query(measure({ org, connectorId }))
  return row ?? { tools: 0, bytes: 0 }
}

/** Forgets approved tools that the server no longer lists. If it lists one again, the tool is pending. */
export const deleteGone = async (tx: Tx, org: string, connectorId: string): Promise<void> => {
  await tx.query(removeGone({ org, connectorId }))
}

export type Listing = { connectorId: string; listed: readonly HashedManifest[] }

/** Writes tools as they are listed now. The approved side of a row stays as it is. */
export const putListed = async (tx: Tx, org: string, { connectorId, listed }: Listing): Promise<void> => {
  if (listed.length === 0) return
  const columnsOf = {
    names: listed.map(({ manifest }) => manifest.name),
    hashes: listed.map(({ hash }) => hash),
    manifests: listed.map(({ manifest }) => JSON.stringify(manifest)),
  }
  await tx.query(put({ org, connectorId, ...columnsOf }))
}

/** Tools that the server no longer lists: approved ones are kept as gone, the others are deleted. */
export const markGone = async (
  tx: Tx,
  org: string,
  { connectorId, names }: { connectorId: string; names: readonly string[] },
): Promise<void> => {
  if (names.length === 0) return
  await tx.query(dropUnapproved({ org, connectorId, names }))
  await tx.query(gone({ org, connectorId, names }))
}

export type Approval = {
  connectorId: string
  /** With the hashes that the person has seen. */
  tools: readonly { name: string; hash: string }[]
  by: string
  byType: 'key' | 'user'
}

/** Approves tools as they are listed, if they are still listed with these hashes. Answers those that were approved. */
export const approveListed = async (tx: Tx, org: string, approval: Approval): Promise<string[]> => {
  const { connectorId, tools, by, byType } = approval
  if (tools.length === 0) return []
  const seen = { names: tools.map(({ name }) => name), hashes: tools.map(({ hash }) => hash) }
  return (await tx.query(approve({ org, connectorId, ...seen, by, byType }))).map(({ name }) => name)
}

export const deleteTools = async (tx: Tx, org: string, connectorId: string): Promise<void> => {
  await tx.query(removeAll({ org, connectorId }))
}

// crosses organisations: a metric for the operator.
export const countToolsOff = (db: Database): Promise<{ state: string; tools: number }[]> => db.once(null, countOff())

type OfConnector = { org: Uuid; connectorId: Uuid }

// A generated column cannot be changed by a statement: a manifest is read only while the tool is approved.
const pinned = statement<
  { org: Uuid; whole: readonly Uuid[]; partly: readonly Uuid[]; names: readonly string[] },
  PinnedTool & { connector_id: string }
>(
  'connector_tools.pinned',
  sql`select connector_id, name, state,
       case when state = 'approved' then encode(approved_hash, 'hex') end as hash,
       case when state = 'approved' then approved_manifest end as manifest
     from connector_tools
    where org_id = :org
      and (connector_id = any (:whole::uuid[]) or (connector_id = any (:partly::uuid[]) and name = any (:names::text[])))
    order by connector_id, name`,
)

const approvedNow = statement<OfConnector & { name: string; hash: string }, { name: string }>(
  'connector_tools.approved_now',
  sql`select name from connector_tools
    where org_id = :org and connector_id = :connectorId and name = :name and state = 'approved'
      and approved_hash = decode(:hash, 'hex')`,
)

const rows = statement<OfConnector, ToolRow>(
  'connector_tools.rows',
  sql`select name, state, encode(listed_hash, 'hex') as listed_hash, listed_manifest,
       encode(approved_hash, 'hex') as approved_hash, approved_manifest, approved_by, approved_by_type, approved_at, changed_at
     from connector_tools where org_id = :org and connector_id = :connectorId order by name`,
)

const marks = statement<OfConnector, ToolMark>(
  'connector_tools.marks',
  sql`select name, state, encode(listed_hash, 'hex') as listed_hash, encode(approved_hash, 'hex') as approved_hash
     from connector_tools where org_id = :org and connector_id = :connectorId`,
)

const measure = statement<OfConnector, { tools: number; bytes: number }>(
  'connector_tools.measure',
  sql`select count(*)::integer as tools, coalesce(sum(octet_length(approved_manifest::text)), 0)::integer as bytes
     from connector_tools where org_id = :org and connector_id = :connectorId and approved_hash is not null`,
)

const removeGone = statement<OfConnector>(
  'connector_tools.remove_gone',
  sql`delete from connector_tools where org_id = :org and connector_id = :connectorId and state = 'gone'`,
)

const put = statement<
  OfConnector & { names: readonly string[]; hashes: readonly string[]; manifests: readonly string[] },
  unknown
>(
  'connector_tools.put',
  sql`insert into connector_tools (org_id, connector_id, name, listed_hash, listed_manifest)
   select :org, :connectorId, name, decode(hash, 'hex'), manifest::json
     from unnest(:names::text[], :hashes::text[], :manifests::text[]) as listed (name, hash, manifest)
   on conflict (connector_id, name) do update
     set listed_hash = excluded.listed_hash, listed_manifest = excluded.listed_manifest, changed_at = app_now()`,
)

const dropUnapproved = statement<OfConnector & { names: readonly string[] }>(
  'connector_tools.drop_unapproved',
  sql`delete from connector_tools
    where org_id = :org and connector_id = :connectorId and name = any (:names::text[]) and approved_hash is null`,
)

const gone = statement<OfConnector & { names: readonly string[] }>(
  'connector_tools.gone',
  sql`update connector_tools set listed_hash = null, listed_manifest = null, changed_at = app_now()
    where org_id = :org and connector_id = :connectorId and name = any (:names::text[])`,
)

const approve = statement<
  OfConnector & { names: readonly string[]; hashes: readonly string[]; by: Uuid; byType: string },
  { name: string }
>(
  'connector_tools.approve',
  sql`update connector_tools t
      set approved_hash = listed_hash, approved_manifest = listed_manifest, approved_by = :by, approved_by_type = :byType,
          approved_at = app_now(), changed_at = app_now()
     from unnest(:names::text[], :hashes::text[]) as seen (name, hash)
    where t.org_id = :org and t.connector_id = :connectorId and t.name = seen.name
      and t.listed_hash = decode(seen.hash, 'hex') and t.approved_hash is distinct from t.listed_hash
   returning t.name`,
)

const removeAll = statement<OfConnector>(
  'connector_tools.remove_all',
  sql`delete from connector_tools where org_id = :org and connector_id = :connectorId`,
)

const countOff = statement<NoParameters, { state: string; tools: number }>(
  'connector_tools.count_off',
  sql`select state, count(*)::integer as tools from connector_tools where state <> 'approved' group by state`,
)

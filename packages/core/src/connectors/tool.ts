import type { ConnectorId, ConnectorTool as WireTool } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { changedFieldsOf, lookAlikeOf, type ToolManifest } from './tool-manifest.ts'
import type { ToolState } from './toolbox.ts'

/** A tool with both of its manifests; the hashes are hexadecimal. */
export type ToolRow = {
  name: string
  state: ToolState
  listed_hash: string | null
  listed_manifest: ToolManifest | null
  approved_hash: string | null
  approved_manifest: ToolManifest | null
  approved_by: string | null
  approved_by_type: 'key' | 'user' | null
  approved_at: Date | null
  changed_at: Date
}

/** The number and state of tools, without their manifests. */
export type ToolMark = Pick<ToolRow, 'name' | 'state' | 'listed_hash' | 'approved_hash'>

/** The tools of a connector for people: both manifests, and the fields in which they differ. */
export const toWireTools = (connectorId: ConnectorId, rows: readonly ToolRow[]): WireTool[] => {
  const approved = rows.filter(({ approved_hash }) => approved_hash !== null).map(({ name }) => name)
  return rows.map((row) => ({
    name: row.name,
    object: 'connector_tool',
    connector_id: connectorId,
    state: row.state,
    hash: row.listed_hash,
    manifest: row.listed_manifest,
    approved_hash: row.approved_hash,
    // Equal to the listed one in an approved tool.
    approved_manifest: row.state === 'approved' ? null : row.approved_manifest,
    changes:
      row.state === 'changed' && row.approved_manifest && row.listed_manifest
        ? changedFieldsOf(row.approved_manifest, row.listed_manifest)
        : [],
    looks_like: row.state === 'pending' ? lookAlikeOf(row.name, approved) : null,
    approved_by:
      row.approved_by && row.approved_by_type ? fromUuid(prefixes[row.approved_by_type], row.approved_by) : null,
    approved_at: row.approved_at?.toISOString() ?? null,
    changed_at: row.changed_at.toISOString(),
  }))
}

const prefixes = { key: 'key', user: 'usr' } as const

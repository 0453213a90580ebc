import type { Pipeline as WirePipeline, PipelineVersion as WireVersion } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { AuditFacts } from '../../audit/index.ts'
import type { PipelineDefinition } from '../definition.ts'

/** The content of a version of a pipeline. Metadata belongs to no version. */
export type PipelineContent = { name: string; description: string | null; definition: PipelineDefinition }

/** A pipeline as the database keeps it, with the definition of its current version. */
export type PipelineRow = PipelineContent & {
  id: string
  status: WirePipeline['status']
  version: number
  metadata: Record<string, string>
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

export type PipelineVersionRow = PipelineContent & {
  pipeline_id: string
  version: number
  created_by: string | null
  created_by_type: 'key' | 'user' | 'operator'
  created_at: Date
}

/** `by` is the UUID of the key or the person. */
export type PipelineAuthor = { by: string; type: 'key' | 'user' }

export const toWirePipeline = (row: PipelineRow): WirePipeline => ({
  id: fromUuid('pl', row.id),
  object: 'pipeline',
  name: row.name,
  description: row.description,
  status: row.status,
  version: row.version,
  definition: toWireDefinition(row.definition),
  metadata: row.metadata,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  archived_at: row.archived_at?.toISOString() ?? null,
})

export const toWirePipelineVersion = (row: PipelineVersionRow): WireVersion => ({
  object: 'pipeline_version',
  pipeline_id: fromUuid('pl', row.pipeline_id),
  version: row.version,
  name: row.name,
  description: row.description,
  definition: toWireDefinition(row.definition),
  created_by: pipelineAuthorOf(row),
  created_at: row.created_at.toISOString(),
})

/** A definition is stored and shown as it was sent. */
const toWireDefinition = (definition: PipelineDefinition): WirePipeline['definition'] =>
  definition as unknown as WirePipeline['definition']

/** For the audit log, which is kept forever: which steps there are, without their inputs and expressions. */
export const pipelineAuditFacts = ({ name, version, definition }: PipelineRow): AuditFacts => ({
  name,
  version,
  steps: definition.steps.map(({ key }) => key),
})

const pipelineAuthorOf = ({ created_by, created_by_type }: PipelineVersionRow): WireVersion['created_by'] => {
  if (created_by === null || created_by_type === 'operator') return null
  return fromUuid(created_by_type === 'key' ? 'key' : 'usr', created_by)
}

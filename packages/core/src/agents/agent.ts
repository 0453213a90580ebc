import type { Agent as WireAgent } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** An agent as the database keeps it. */
export type Agent = {
  id: string
  name: string
  description: string | null
  status: 'active' | 'archived'
  kind: 'llm' | 'remote'
  source: 'catalog' | 'custom'
  catalog_key: string | null
  version: number
  config: Record<string, unknown>
  input_schema: Record<string, unknown> | null
  output_schema: Record<string, unknown> | null
  limits: { timeout_seconds?: number; max_steps?: number; budget_usd?: number; max_concurrent_runs?: number }
  policies: string[]
  metadata: Record<string, string>
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

export const toWire = (agent: Agent): WireAgent => ({
  id: fromUuid('ag', agent.id),
  object: 'agent',
  name: agent.name,
  description: agent.description,
  status: agent.status,
  kind: agent.kind,
  source: agent.source,
  catalog_key: agent.catalog_key,
  version: agent.version,
  config: agent.config,
  input_schema: agent.input_schema,
  output_schema: agent.output_schema,
  limits: {
    timeout_seconds: agent.limits.timeout_seconds ?? null,
    max_steps: agent.limits.max_steps ?? null,
    budget_usd: agent.limits.budget_usd ?? null,
    max_concurrent_runs: agent.limits.max_concurrent_runs ?? null,
  },
  policies: agent.policies,
  metadata: agent.metadata,
  created_at: agent.created_at.toISOString(),
  updated_at: agent.updated_at.toISOString(),
  archived_at: agent.archived_at?.toISOString() ?? null,
})

import type { Agent as WireAgent, AgentVersion as WireVersion } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { BudgetTerms } from '../budgets/index.ts'

/** The content of a version of an agent: everything that a customer decides, and no internal fields. */
export type AgentContent = {
  name: string
  description: string | null
  config: Record<string, unknown>
  input_schema: Record<string, unknown> | null
  output_schema: Record<string, unknown> | null
  limits: {
    timeout_seconds?: number
    max_steps?: number
    budget_usd?: number
    budget_action?: 'fail' | 'park'
    max_concurrent_runs?: number
    approval?: ApprovalRule
  }
  policies: string[]
  metadata: Record<string, string>
}

/** An agent as stored in the database, with its newest version. */
export type Agent = AgentContent &
  BudgetTerms & {
    id: string
    /** The policies that are attached to it, as UUIDs. They belong to no version. */
    attached_policies: string[]
    status: 'active' | 'archived'
    kind: 'llm' | 'remote'
    source: 'catalog' | 'custom'
    catalog_key: string | null
    catalog_version: number | null
    version: number
    created_at: Date
    updated_at: Date
    archived_at: Date | null
  }

/** One version of an agent, as stored in the database. */
export type AgentVersion = AgentContent & {
  agent_id: string
  version: number
  created_by: string | null
  created_by_type: AuthorType
  created_at: Date
}

const approvalToWire = (rule: ApprovalRule | undefined): WireAgent['limits']['approval'] =>
  rule ? { by: rule.by ?? 'anyone', not_starter: rule.not_starter ?? false } : null

/** Who may approve; omitted fields have their defaults. */
type ApprovalRule = { by?: 'anyone' | 'person'; not_starter?: boolean }

/** The actor of a change: `by` is the UUID of the key or the person, null for the operator. */
export type AgentAuthor = { by: string | null; type: AuthorType }

type AuthorType = 'key' | 'user' | 'operator'

/** `catalogLatest`: the catalog's current version, null if it has none. */
export const toWireAgent = (agent: Agent, catalogLatest: number | null): WireAgent => ({
  id: fromUuid('ag', agent.id),
  object: 'agent',
  name: agent.name,
  description: agent.description,
  status: agent.status,
  kind: agent.kind,
  source: agent.source,
  catalog_key: agent.catalog_key,
  catalog_version: agent.catalog_version,
  catalog_latest: catalogLatest,
  version: agent.version,
  ...restOf(agent),
  policies: agent.attached_policies.map((id) => fromUuid('pol', id)),
  created_at: agent.created_at.toISOString(),
  updated_at: agent.updated_at.toISOString(),
  archived_at: agent.archived_at?.toISOString() ?? null,
  monthly_budget_usd: agent.monthly_budget_usd,
  budget_action: agent.budget_action,
})

export const toWireVersion = (version: AgentVersion): WireVersion => ({
  object: 'agent_version',
  agent_id: fromUuid('ag', version.agent_id),
  version: version.version,
  name: version.name,
  description: version.description,
  ...restOf(version),
  created_by: authorIdOf(version),
  created_at: version.created_at.toISOString(),
})

export const agentContentOf = (agent: AgentContent): AgentContent => ({
  name: agent.name,
  description: agent.description,
  config: agent.config,
  input_schema: agent.input_schema,
  output_schema: agent.output_schema,
  limits: agent.limits,
  policies: agent.policies,
  metadata: agent.metadata,
})

/** The permanent audit record of an agent: without its instructions and without the query of its address. */
export const agentAuditFacts = (agent: Agent): Readonly<Record<string, unknown>> => ({
  name: agent.name,
  kind: agent.kind,
  version: agent.version,
  ...(agent.source === 'catalog' && { catalog_key: agent.catalog_key, catalog_version: agent.catalog_version }),
  ...(typeof agent.config.model === 'string' && { model: agent.config.model }),
  ...(typeof agent.config.url === 'string' && { url: agent.config.url.replace(/[?#].*$/s, '') }),
})

const restOf = (content: AgentContent) => ({
  config: content.config,
  input_schema: content.input_schema,
  output_schema: content.output_schema,
  limits: {
    timeout_seconds: content.limits.timeout_seconds ?? null,
    max_steps: content.limits.max_steps ?? null,
    budget_usd: content.limits.budget_usd ?? null,
    budget_action: content.limits.budget_action ?? null,
    max_concurrent_runs: content.limits.max_concurrent_runs ?? null,
    approval: approvalToWire(content.limits.approval),
  },
  policies: content.policies,
  metadata: content.metadata,
})

const authorIdOf = ({ created_by, created_by_type }: AgentVersion): WireVersion['created_by'] => {
  if (created_by === null || created_by_type === 'operator') return null
  return fromUuid(created_by_type === 'key' ? 'key' : 'usr', created_by)
}

import type { Agent as WireAgent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { IdMaker } from '@ars/platform/id'
import type { CatalogEntry } from '../catalog/index.ts'
import type { Ctx } from '../ctx.ts'
import type { SecretService } from '../secrets/index.ts'
import { type Agent, type AgentContent, toWire } from './agent.ts'
import type { CheckDeps } from './agent-check.service.ts'

/** What those who make, change and show agents stand on. */
export type AgentParts = CheckDeps & {
  app: Database
  newId: IdMaker
  /** What can be hired. */
  catalog: { find(key: string): CatalogEntry | null }
  secrets: SecretService
}

/** Who makes or changes an agent, by a request. */
export type Changer = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId' | 'agentIds' | 'isDemo'>

/** An agent as clients see it, with what the catalog has now. */
export const wireOf = ({ catalog }: Pick<AgentParts, 'catalog'>, agent: Agent): WireAgent =>
  toWire(agent, agent.catalog_key === null ? null : (catalog.find(agent.catalog_key)?.version ?? null))

/** What the catalog says of an agent; the rest is the organisation's own. */
export const catalogContentOf = (entry: CatalogEntry): CatalogContent => ({
  name: entry.name,
  description: entry.description,
  config: entry.config,
  input_schema: entry.input_schema,
  output_schema: entry.output_schema,
  limits: entry.limits,
})

export type CatalogContent = Pick<
  AgentContent,
  'name' | 'description' | 'config' | 'input_schema' | 'output_schema' | 'limits'
>

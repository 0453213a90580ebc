import type { Agent as WireAgent } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { IdMaker } from '@ars/platform/id'
import type { CatalogEntry } from '../catalog/index.ts'
import type { Ctx } from '../ctx.ts'
import type { SecretService } from '../secrets/index.ts'
import { type Agent, type AgentContent, toWireAgent } from './agent.ts'
import type { CheckDeps } from './agent-check.service.ts'

/** The shared dependencies for creating, changing and showing agents. */
export type AgentParts = CheckDeps & {
  app: Database
  newId: IdMaker
  /** The agents that can be hired. */
  catalog: { find(key: string): CatalogEntry | null }
  secrets: SecretService
  /** With the models of vendors of which the organisation has a key. */
  modelsOf(org: string): Promise<CheckDeps['models']>
}

/** The actor of a request that creates or changes an agent. */
export type Changer = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId' | 'agentIds' | 'isDemo' | 'runOwner'>

/** An agent as clients see it, with the catalog's current version. */
export const wireOf = ({ catalog }: Pick<AgentParts, 'catalog'>, agent: Agent): WireAgent =>
  toWireAgent(agent, agent.catalog_key === null ? null : (catalog.find(agent.catalog_key)?.version ?? null))

/** The catalog's part of an agent; the rest belongs to the organisation. */
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

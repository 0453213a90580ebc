import { z } from 'zod'
import { AgentConfig } from './agent-config.ts'
import { CatalogKey } from './catalog.ts'
import { Deployment, Rollout } from './deployments.ts'
import { AgentId, ApiKeyId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const JsonObject = z.record(z.string(), z.unknown())

const content = {
  name: z.string(),
  description: z.string().nullable(),
  config: JsonObject,
  input_schema: JsonObject.nullable(),
  output_schema: JsonObject.nullable(),
  limits: z.object({
    timeout_seconds: z.int().nullable(),
    max_steps: z.int().nullable(),
    budget_usd: z.number().nullable(),
    max_concurrent_runs: z.int().nullable(),
  }),
  policies: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
}

export const Agent = z
  .object({
    id: AgentId,
    object: z.literal('agent'),
    name: content.name,
    description: content.description,
    status: z.enum(['active', 'archived']),
    kind: z.enum(['llm', 'remote']),
    source: z.enum(['catalog', 'custom']),
    catalog_key: z.string().nullable(),
    catalog_version: z.int().nullable().meta({ description: 'The version of the catalog’s agent that was hired.' }),
    catalog_latest: z
      .int()
      .nullable()
      .meta({ description: 'The version that the catalog has now. Take it with `PATCH {"catalog_version": n}`.' }),
    version: z.int().meta({ description: 'The newest version that is out, in full or as a canary.' }),
    config: content.config,
    input_schema: content.input_schema,
    output_schema: content.output_schema,
    limits: content.limits,
    policies: content.policies,
    metadata: content.metadata,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Agent' })

export type Agent = z.infer<typeof Agent>

/** An agent together with what its change has set going. */
export const ReleasedAgent = Agent.extend({
  deployment: Deployment.nullable().meta({ description: 'The deployment that this made; null when nothing changed.' }),
}).meta({ id: 'ReleasedAgent' })

export type ReleasedAgent = z.infer<typeof ReleasedAgent>

export const NewAgent = ReleasedAgent.extend({
  signing_secret: z.string().nullable().meta({
    description:
      'With it a remote agent tells our requests from others, in this answer only. Null for other agents and for a replay.',
  }),
}).meta({ id: 'NewAgent' })

export type NewAgent = z.infer<typeof NewAgent>

export const AgentVersion = z
  .object({
    object: z.literal('agent_version'),
    agent_id: AgentId,
    version: z.int(),
    ...content,
    created_by: z
      .union([ApiKeyId, UserId])
      .nullable()
      .meta({ description: 'The key or the person; null: the operator.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AgentVersion' })

export type AgentVersion = z.infer<typeof AgentVersion>

export const AgentDiff = z
  .object({
    object: z.literal('agent_diff'),
    agent_id: AgentId,
    from: z.int(),
    to: z.int(),
    changes: z.array(
      z.object({
        path: z.string().meta({ examples: ['config.temperature'] }),
        old: z.unknown().meta({ description: 'Null where there was nothing.' }),
        new: z.unknown().meta({ description: 'Null where there is nothing any more.' }),
      }),
    ),
  })
  .meta({ id: 'AgentDiff' })

export type AgentDiff = z.infer<typeof AgentDiff>

const Metadata = z
  .record(z.string().min(1).max(limits.metadataKeyChars), z.string().max(limits.metadataValueChars))
  .refine((given) => Object.keys(given).length <= limits.metadataKeys, `has at most ${limits.metadataKeys} keys`)
  .meta({
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars },
  })

const Limits = z
  .strictObject({
    timeout_seconds: z.int().min(1).max(limits.runTimeoutMaxSeconds).nullable(),
    max_steps: z.int().min(1).max(limits.stepsMax).nullable(),
    budget_usd: z.number().min(0).max(1_000_000).nullable(),
    max_concurrent_runs: z.int().min(1).max(1_000_000).nullable(),
  })
  .partial()
  .meta({ id: 'AgentLimits', description: 'Null, or left out at creation: what the plan says.' })

const Policies = z.array(z.string().min(1).max(100)).max(limits.policiesPerAgent)

export const CreateAgent = z
  .strictObject({
    name: z.string().min(1).max(limits.agentNameChars),
    description: z.string().max(limits.agentDescriptionChars).nullable().optional(),
    kind: z.enum(['llm', 'remote']).default('llm'),
    config: AgentConfig,
    input_schema: JsonObject.nullable().optional(),
    output_schema: JsonObject.nullable().optional(),
    limits: Limits.optional(),
    policies: Policies.optional(),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'CreateAgent' })

export type CreateAgent = z.output<typeof CreateAgent>

export const UpdateAgent = z
  .strictObject({
    // What cannot be cleared may still be sent as null: it is well formed, and refused (422).
    name: z.string().min(1).max(limits.agentNameChars).nullable(),
    description: z.string().max(limits.agentDescriptionChars).nullable(),
    config: AgentConfig.nullable(),
    input_schema: JsonObject.nullable(),
    output_schema: JsonObject.nullable(),
    limits: Limits.nullable(),
    policies: Policies.nullable(),
    metadata: z
      .record(z.string().min(1).max(limits.metadataKeyChars), z.string().max(limits.metadataValueChars).nullable())
      .nullable()
      .meta({ propertyNames: { minLength: 1, maxLength: limits.metadataKeyChars } }),
    catalog_version: z.int().min(1).meta({
      description:
        'Takes this version of the catalog’s agent: what you have changed since you hired it stays as you have it.',
    }),
    version: z.int().min(1).meta({
      description:
        'The version that you have seen. When it is no longer the newest, nothing changes (`version_conflict`).',
    }),
    rollout: Rollout,
  })
  .partial()
  .extend({ id: AgentId })
  .meta({ id: 'UpdateAgent', minProperties: 1 })

export type UpdateAgent = z.output<typeof UpdateAgent>

export const HireAgent = z
  .strictObject({
    name: z.string().min(1).max(limits.agentNameChars).optional(),
    config: AgentConfig.optional().meta({
      description: 'What shall differ from the catalog, such as `model`. Objects are merged, lists replaced.',
    }),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'HireAgent' })

export type HireAgent = z.output<typeof HireAgent>

/** A version as the path and the query carry it. */
const VersionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be the number of a version')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 })

const makes = [
  'not_found',
  'idempotency_key_reused',
  'limit_reached',
  'config_invalid',
  'secrets_disabled',
  'url_not_allowed',
] as const

export const agents = {
  list: operation({
    method: 'GET',
    path: '/agents',
    summary: 'List all agents',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({
      ...Paging(AgentId),
      status: z.enum(['active', 'archived']).optional(),
      source: z.enum(['catalog', 'custom']).optional(),
      q: z.string().min(1).max(200).optional().meta({ description: 'Stands in the name or the description.' }),
    }),
    output: listOf(Agent, 'AgentList'),
    errors: ['not_found'],
  }),
  get: operation({
    method: 'GET',
    path: '/agents/{id}',
    summary: 'Get an agent by id',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: Agent,
    errors: ['not_found'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/agents/{id}',
    summary: 'Update agent configuration',
    description:
      'Omitted fields stay, null clears, objects are merged and lists replaced; a schema is replaced whole. A change makes ' +
      'a new version and a deployment of it, to all runs or, with `rollout`, to a share of them. Runs under way stay on their version.',
    scope: 'agents:write',
    status: 200,
    input: UpdateAgent,
    output: ReleasedAgent,
    errors: [
      'not_found',
      'agent_archived',
      'config_invalid',
      'version_conflict',
      'limit_reached',
      'secrets_disabled',
      'url_not_allowed',
    ],
  }),
  archive: operation({
    method: 'DELETE',
    path: '/agents/{id}',
    summary: 'Archive an agent',
    description: 'Runs under way finish; new ones are refused with `agent_archived`. Archiving twice changes nothing.',
    scope: 'agents:write',
    status: 200,
    input: z.strictObject({ id: AgentId }),
    output: Agent,
    errors: ['not_found'],
  }),
  hire: operation({
    method: 'POST',
    path: '/agents/{catalog_key}/deploy',
    summary: 'Hire a catalog agent into the organisation',
    description: 'Hiring twice makes two agents; with one `Idempotency-Key` it makes one.',
    scope: 'agents:write',
    status: 201,
    input: HireAgent.extend({ catalog_key: CatalogKey }),
    output: ReleasedAgent,
    errors: makes,
    idempotent: true,
  }),
  create: operation({
    method: 'POST',
    path: '/agents/custom',
    summary: 'Create a custom organisation agent',
    scope: 'agents:write',
    status: 201,
    input: CreateAgent,
    output: NewAgent,
    errors: makes,
    idempotent: true,
  }),
  versions: operation({
    method: 'GET',
    path: '/agents/{id}/versions',
    summary: 'List the versions of an agent',
    description: 'Newest first; `after` and `before` are version numbers.',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ id: AgentId, ...Paging(VersionNumber) }),
    output: listOf(AgentVersion, 'AgentVersionList'),
    errors: ['not_found'],
  }),
  version: operation({
    method: 'GET',
    path: '/agents/{id}/versions/{version}',
    summary: 'Get one version of an agent',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ id: AgentId, version: VersionNumber }),
    output: AgentVersion,
    errors: ['not_found'],
  }),
  diff: operation({
    method: 'GET',
    path: '/agents/{id}/versions/{version}/diff',
    summary: 'Compare two versions of an agent',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ id: AgentId, version: VersionNumber, to: VersionNumber }),
    output: AgentDiff,
    errors: ['not_found'],
  }),
} as const

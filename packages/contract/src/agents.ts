import { z } from 'zod'
import { AgentId } from './ids.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const JsonObject = z.record(z.string(), z.unknown())

export const Agent = z
  .object({
    id: AgentId,
    object: z.literal('agent'),
    name: z.string(),
    description: z.string().nullable(),
    status: z.enum(['active', 'archived']),
    kind: z.enum(['llm', 'remote']),
    source: z.enum(['catalog', 'custom']),
    catalog_key: z.string().nullable(),
    version: z.int(),
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
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Agent' })

export type Agent = z.infer<typeof Agent>

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
} as const

import { z } from 'zod'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const JsonObject = z.record(z.string(), z.unknown())

export const CatalogAgent = z
  .object({
    id: z.string().meta({ description: 'Same as `key`; used for paging.' }),
    object: z.literal('catalog_agent'),
    key: z.string(),
    version: z
      .int()
      .meta({ description: 'Increases when the agent changes. Hired agents can adopt the newer version.' }),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    kind: z.literal('llm'),
    config: JsonObject,
    input_schema: JsonObject.nullable(),
    output_schema: JsonObject.nullable(),
    limits: JsonObject,
    needs_connector: z.boolean().meta({ description: 'The agent uses tools: hire it with one of your connectors.' }),
    sample_input: JsonObject,
    sample_output: JsonObject.nullable(),
  })
  .meta({ id: 'CatalogAgent' })

export type CatalogAgent = z.infer<typeof CatalogAgent>

/** Any string is accepted: an unknown key returns 404. */
export const CatalogKey = z.string().meta({ examples: ['summariser'] })

export const catalog = {
  list: operation({
    method: 'GET',
    path: '/catalog',
    summary: 'List catalog agents',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({
      ...Paging(z.string().min(1).max(100)),
      q: z.string().min(1).max(200).optional().meta({ description: 'Text to search for.' }),
    }),
    output: listOf(CatalogAgent, 'CatalogAgentList'),
    errors: [],
  }),
  get: operation({
    method: 'GET',
    path: '/catalog/{key}',
    summary: 'Get a catalog agent by key',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ key: CatalogKey }),
    output: CatalogAgent,
    errors: ['not_found'],
  }),
} as const

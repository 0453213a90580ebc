import { z } from 'zod'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const JsonObject = z.record(z.string(), z.unknown())

export const CatalogAgent = z
  .object({
    id: z.string().meta({ description: 'The same as `key`, so that the list is paged like every other.' }),
    object: z.literal('catalog_agent'),
    key: z.string(),
    version: z
      .int()
      .meta({ description: 'Counted up whenever the agent changes; hired agents are offered the newer one.' }),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    kind: z.literal('llm'),
    config: JsonObject,
    input_schema: JsonObject.nullable(),
    output_schema: JsonObject.nullable(),
    limits: JsonObject,
    needs_connector: z.boolean().meta({ description: 'It works with tools: hire it with a connector of yours.' }),
    sample_input: JsonObject,
    sample_output: JsonObject.nullable(),
  })
  .meta({ id: 'CatalogAgent' })

export type CatalogAgent = z.infer<typeof CatalogAgent>

/** Any text is taken: a key that nobody knows is not there (404), whatever it looks like. */
export const CatalogKey = z.string().meta({ examples: ['summariser'] })

export const catalog = {
  list: operation({
    method: 'GET',
    path: '/catalog',
    summary: 'List the agents that can be hired',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ ...Paging(z.string().min(1).max(100)), q: z.string().min(1).max(200).optional() }),
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

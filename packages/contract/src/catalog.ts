import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { InputSchema, JsonObject, OutputSchema, PlainText } from './fields.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const CatalogAgent = z
  .object({
    id: z.string().meta({ description: 'Same as `key`; used for paging.' }),
    object: z.literal('catalog_agent'),
    key: z.string().meta({ description: 'The key to hire it with.' }),
    version: z
      .int()
      .meta({ description: 'Increases when the agent changes. Hired agents can adopt the newer version.' }),
    name: z.string().meta({ description: 'The name of the agent.' }),
    description: z.string().meta({ description: 'What the agent does.' }),
    category: z.string().meta({ description: 'The group of the catalog that it belongs to.' }),
    kind: z.literal('llm').meta({ description: 'Agents of the catalog call a model.' }),
    config: JsonObject.meta({ description: 'Model, instructions and tools.' }),
    input_schema: InputSchema,
    output_schema: OutputSchema,
    limits: JsonObject.meta({ description: 'The limits of its runs.' }),
    needs_connector: z.boolean().meta({ description: 'The agent uses tools: hire it with one of your connectors.' }),
    sample_input: JsonObject.meta({ description: 'An input to try it with.' }),
    sample_output: JsonObject.nullable().meta({ description: 'The output for this input, if it is always the same.' }),
  })
  .meta({ id: 'CatalogAgent', description: 'An agent that can be hired.' })

export type CatalogAgent = z.infer<typeof CatalogAgent>

/** Any string is accepted: an unknown key returns 404. */
export const CatalogKey = z.string().meta({ description: 'The key of a catalog agent.', examples: ['summariser'] })

export const catalog = {
  list: operation({
    method: 'GET',
    path: '/catalog',
    summary: 'List catalog agents',
    scope: 'agents:read',
    names: 'nothing',
    status: 200,
    input: z.strictObject({
      ...Paging(PlainText.min(1).max(fieldLimits.keyOfThingChars)),
      q: PlainText.min(1).max(fieldLimits.searchChars).optional().meta({ description: 'Text to search for.' }),
    }),
    output: listOf(CatalogAgent, 'CatalogAgentList'),
    errors: [],
  }),
  get: operation({
    method: 'GET',
    path: '/catalog/{key}',
    summary: 'Get a catalog agent by key',
    scope: 'agents:read',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ key: CatalogKey }),
    output: CatalogAgent,
    errors: ['not_found'],
  }),
} as const

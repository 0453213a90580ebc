import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { PlainText } from './fields.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const Model = z
  .object({
    id: z.string().meta({
      description: '`provider/model`, the value for `config.model` of an agent.',
      examples: ['openai/gpt-5'],
    }),
    object: z.literal('model').meta({ description: 'The type of this object.' }),
    provider: z.string().meta({ description: 'The part of the id before the slash.' }),
    is_pattern: z.boolean().meta({
      description: 'True: the id ends in `*`, which stands for any name. Replace it with a name of the provider.',
    }),
    price: z
      .object({
        input_usd_per_million: z.number().meta({ description: 'US dollars for a million input tokens.' }),
        output_usd_per_million: z.number().meta({ description: 'US dollars for a million output tokens.' }),
        cached_input_usd_per_million: z.number().meta({ description: 'The same for input read from a cache.' }),
        cache_write_usd_per_million: z.number().meta({ description: 'The same for input written to a cache.' }),
        reasoning_usd_per_million: z.number().meta({ description: 'The same for reasoning tokens.' }),
      })
      .meta({ id: 'ModelPrice' })
      .nullable()
      .meta({
        description:
          'Null: the operator configured none. Runs on this model have no `cost_usd`, and agents on it cannot have a budget.',
      }),
    supports_tools: z.boolean().nullable().meta({
      description: 'Whether the model can call tools. Null: not known.',
    }),
  })
  .meta({ id: 'Model' })

export type Model = z.infer<typeof Model>

export const models = {
  list: operation({
    method: 'GET',
    path: '/models',
    summary: 'List the models that agents can use',
    description:
      'The models that the operator configured, and the simulated models unless they are switched off. By id.',
    scope: 'agents:read',
    names: 'nothing',
    status: 200,
    input: z.strictObject({
      ...Paging(PlainText.min(1).max(fieldLimits.modelNameChars)),
      q: PlainText.min(1)
        .max(fieldLimits.searchChars)
        .optional()
        .meta({ description: 'Text to search for in the id.' }),
    }),
    output: listOf(Model, 'ModelList'),
    errors: [],
  }),
} as const

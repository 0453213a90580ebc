import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { createdAt, KeyOrPerson, PlainText } from './fields.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const keyedProviders = ['openai', 'anthropic', 'google'] as const

const KeyedProvider = z
  .enum(keyedProviders)
  .meta({ id: 'KeyedProvider', description: 'A vendor of models whose key an organisation can enter.' })

export const ProviderKey = z
  .object({
    id: KeyedProvider,
    object: z.literal('provider_key'),
    key_hint: z.string().nullable().meta({ description: 'The last characters of the key; null if it is short.' }),
    created_by: KeyOrPerson.meta({ description: 'The key or person that entered it last.' }),
    created_at: createdAt,
    updated_at: z.iso.datetime().meta({ description: 'When it was entered last.' }),
  })
  .meta({
    id: 'ProviderKey',
    description:
      'The key of a model provider with which the agents of the organisation are called. The key is never shown.',
  })

export type ProviderKey = z.infer<typeof ProviderKey>

const DeletedProviderKey = z
  .object({
    id: KeyedProvider,
    object: z.literal('provider_key'),
    deleted: z.boolean().meta({ description: 'Always true: the organisation has no key of this provider.' }),
  })
  .meta({ id: 'DeletedProviderKey' })

export const providerKeys = {
  list: operation({
    method: 'GET',
    path: '/provider-keys',
    summary: 'List the keys of model providers',
    description: 'Those that the organisation has entered. Keys of the operator are not listed.',
    scope: 'keys:read',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ ...Paging(PlainText.min(1).max(fieldLimits.modelNameChars)) }),
    output: listOf(ProviderKey, 'ProviderKeyList'),
    errors: [],
  }),
  set: operation({
    method: 'POST',
    path: '/provider-keys',
    summary: 'Enter the key of a model provider',
    description:
      'All models of the provider can be used at once, and its calls are charged to the account of this key instead of that of the ' +
      'operator. The key is stored encrypted. A key that was entered before is replaced. The account of the key receives what runs ' +
      'send to the provider, so it needs `runs:read`.',
    scope: 'keys:write',
    names: 'organisation',
    // The account of the key receives what runs send to the vendor.
    alsoScopes: ['runs:read'],
    lasting: true,
    status: 200,
    input: z
      .strictObject({
        provider: KeyedProvider,
        key: z
          .string()
          .min(8)
          .max(limits.providerKeyChars)
          .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
          .meta({
            writeOnly: true,
            description: 'The API key of the vendor.',
            examples: ['sk-example-key-of-a-vendor'],
          }),
      })
      .meta({ id: 'SetProviderKey' }),
    output: ProviderKey,
    errors: ['secrets_disabled'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/provider-keys/{id}',
    summary: 'Delete the key of a model provider',
    description:
      'The next model call uses the key of the operator, or fails if there is none. Deleting again has no effect.',
    scope: 'keys:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: KeyedProvider }),
    output: DeletedProviderKey,
    errors: [],
  }),
} as const

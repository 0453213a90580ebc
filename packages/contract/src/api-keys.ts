import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { budgetFields, budgetInput } from './budget.ts'
import { createdAt, KeyOrPerson, ScopeName } from './fields.ts'
import { AgentId, ApiKeyId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { scopes } from './scopes.ts'

/** The scopes that a demo key can hold. */
export const demoScopes = ['runs:read', 'runs:write', 'agents:read', 'usage:read'] as const

// Any string is accepted here: an unknown scope is well-formed and rejected with 422, not 400.
export const ScopeNames = z
  .array(z.string().min(1).max(fieldLimits.scopeChars))
  .min(1)
  .max(fieldLimits.scopesListed)
  .meta({ description: 'The permissions of the key. There is no wildcard.', examples: [['runs:write']] })

const moment = z.iso.datetime({ offset: true })

const ApiKeyKind = z.enum(['live', 'demo']).meta({
  id: 'ApiKeyKind',
  description: 'A `demo` key has low limits, cannot use connectors, and sees only the runs that it created.',
})

export const ApiKey = z
  .object({
    id: ApiKeyId,
    object: z.literal('api_key'),
    name: z.string().meta({ description: 'The name of the key, for people.' }),
    kind: ApiKeyKind,
    prefix: z.string().meta({ description: 'The first characters of the key: `ars_live_` or `ars_demo_`.' }),
    hint: z.string().meta({ description: 'The last four characters of the key.' }),
    scopes: z.array(ScopeName).meta({ description: 'The permissions that it holds.' }),
    agent_ids: z
      .array(AgentId)
      .nullable()
      .meta({ description: 'The only agents that the key can use; null: all agents of the organisation.' }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When the key stops working; null: never.' }),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the key was last used. Updated about every 10 seconds.' }),
    created_by: KeyOrPerson.nullable().meta({
      description: 'The key or person that created it; null for the operator.',
    }),
    created_at: createdAt,
    revoked_at: z.iso.datetime().nullable().meta({ description: 'When the key was revoked.' }),
    rotated_to: ApiKeyId.nullable().meta({ description: 'The key that replaces it.' }),
    grace_until: z.iso.datetime().nullable().meta({ description: 'When a rotated key stops working.' }),
    exposed_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the key was sent over plain HTTP, where others can read it. Rotate such a key.' }),
    ...budgetFields,
  })
  .meta({ id: 'ApiKey', description: 'A credential of a program. The complete key is shown once.' })

export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = ApiKey.extend({
  key: z
    .string()
    .nullable()
    .meta({ description: 'The complete key. Only this response contains it. Null in a replay of an earlier request.' }),
}).meta({ id: 'CreatedApiKey' })

export type NewApiKey = z.infer<typeof NewApiKey>

export const RevokedApiKey = ApiKey.extend({
  descendants_revoked: z
    .int()
    .meta({ description: 'How many keys below this one the request revoked. 0 without `descendants=true`.' }),
}).meta({ id: 'RevokedApiKey' })

export type RevokedApiKey = z.infer<typeof RevokedApiKey>

const fields = {
  name: z.string().min(1).max(limits.keyNameChars).meta({ description: 'The name of the key, for people.' }),
  scopes: ScopeNames,
  agent_ids: z
    .array(AgentId)
    .min(1)
    .max(limits.agentsPerKey)
    .nullable()
    .meta({ description: 'Limits the key to these agents. Null or omitted: all agents of the organisation.' }),
  expires_at: moment.nullable().meta({
    description:
      'When the key stops working. Null or omitted: never. A key that ends can only create keys that end no later; the organisation may limit the lifetime.',
  }),
}

export const CreateApiKey = z
  .strictObject({
    name: fields.name,
    kind: ApiKeyKind.optional().meta({
      description:
        'Default: `live`. A demo key has low limits, cannot use connectors, and sees only the runs that it created.',
    }),
    scopes: fields.scopes.meta({ description: `One or more of ${scopes.join(', ')}. There is no wildcard.` }),
    agent_ids: fields.agent_ids.optional(),
    expires_at: fields.expires_at.optional(),
  })
  .meta({ id: 'CreateApiKey' })

export type CreateApiKey = z.infer<typeof CreateApiKey>

export const UpdateApiKey = z
  .strictObject({
    id: ApiKeyId,
    name: fields.name.optional(),
    scopes: fields.scopes.optional(),
    agent_ids: fields.agent_ids.optional(),
    expires_at: fields.expires_at.optional(),
    monthly_budget_usd: budgetInput.monthly_budget_usd.optional(),
    budget_action: budgetInput.budget_action.optional(),
  })
  .refine((given) => Object.keys(given).length > 1, 'changes nothing: it has no fields')
  .meta({ id: 'UpdateApiKey', minProperties: 1 })

export type UpdateApiKey = z.infer<typeof UpdateApiKey>

export const apiKeys = {
  list: operation({
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    description:
      'Includes revoked and expired keys. The complete key is never shown again. A key that is narrowed to agents gets the keys that are for ' +
      'no other agents.',
    scope: 'keys:read',
    names: 'agents',
    status: 200,
    input: z.strictObject({
      ...Paging(ApiKeyId),
      created_by: KeyOrPerson.optional().meta({ description: 'Only keys that this key or person created.' }),
    }),
    output: listOf(ApiKey, 'ApiKeyList'),
    errors: [],
  }),
  create: operation({
    method: 'POST',
    path: '/api-keys',
    summary: 'Create an API key',
    description:
      'Only this response contains the complete key. You can grant only scopes and agents that your own credential holds, and no longer ' +
      'than it lives.',
    scope: 'keys:write',
    names: 'agents',
    lasting: true,
    status: 201,
    input: CreateApiKey,
    output: NewApiKey,
    errors: ['not_found', 'idempotency_key_reused', 'input_invalid', 'limit_reached', 'scope_unknown'],
    idempotent: true,
  }),
  get: operation({
    method: 'GET',
    path: '/api-keys/{id}',
    summary: 'Get an API key by id',
    scope: 'keys:read',
    names: 'agents',
    status: 200,
    input: z.strictObject({ id: ApiKeyId }),
    output: ApiKey,
    errors: ['not_found'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api-keys/{id}',
    summary: 'Change an API key',
    description:
      'Omitted fields stay unchanged; null clears `agent_ids` and `expires_at`. Takes effect everywhere within 5 seconds. A key that ends ' +
      'cannot extend the permissions or the life of a key beyond its own end. No key can change its own budget.',
    scope: 'keys:write',
    names: 'agents',
    lasting: true,
    status: 200,
    input: UpdateApiKey,
    output: ApiKey,
    errors: ['not_found', 'input_invalid', 'key_not_active', 'scope_unknown'],
  }),
  revoke: operation({
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke an API key',
    description:
      'The key stops working everywhere within 5 seconds, permanently. Revoking it again has no effect. Its tokens end with it; with ' +
      '`descendants=true` so do the keys below it: those that it created, its successor after a rotation, and theirs.',
    scope: 'keys:write',
    names: 'agents',
    lasting: true,
    status: 200,
    input: z.strictObject({
      id: ApiKeyId,
      descendants: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'Whether to revoke the keys below this one as well.', default: 'false' }),
    }),
    output: RevokedApiKey,
    errors: ['not_found'],
  }),
  rotate: operation({
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    summary: 'Rotate an API key',
    description:
      'Returns a new key with the same name, scopes, agents and expiry (earlier if the organisation limits the lifetime). The old key works for another 24 hours, with ' +
      '`Deprecation` and `Sunset` in every response. Both keys share one rate limit.',
    scope: 'keys:write',
    names: 'agents',
    lasting: true,
    status: 201,
    input: z.strictObject({ id: ApiKeyId }),
    output: NewApiKey,
    errors: ['not_found', 'idempotency_key_reused', 'key_not_active', 'limit_reached'],
    idempotent: true,
  }),
} as const

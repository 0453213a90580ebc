import { z } from 'zod'
import { AgentId, ApiKeyId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { scopes } from './scopes.ts'

/** What a demo key may hold at the most. */
export const demoScopes = ['runs:read', 'runs:write', 'agents:read', 'usage:read'] as const

const scopesListed = 100
const scopeChars = 64

// Any text is taken here, because an unknown scope is well formed and refused (422), not malformed (400).
export const ScopeNames = z
  .array(z.string().min(1).max(scopeChars))
  .min(1)
  .max(scopesListed)
  .meta({ description: `One or several of ${scopes.join(', ')}. There is no wildcard.`, examples: [['runs:write']] })

const moment = z.iso.datetime({ offset: true })

export const ApiKey = z
  .object({
    id: ApiKeyId,
    object: z.literal('api_key'),
    name: z.string(),
    kind: z.enum(['live', 'demo']),
    prefix: z.string().meta({ description: 'How the key begins: `ars_live_` or `ars_demo_`.' }),
    hint: z.string().meta({ description: 'The last four characters, so that people can tell two keys apart.' }),
    scopes: z.array(z.enum(scopes)),
    agent_ids: z
      .array(AgentId)
      .nullable()
      .meta({ description: 'The only agents that the key may use; null: every agent of the organisation.' }),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().meta({ description: 'Written every few seconds, not at each request.' }),
    created_by: z
      .union([ApiKeyId, UserId])
      .nullable()
      .meta({ description: 'The key or the person that made it; null: the operator.' }),
    created_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    rotated_to: ApiKeyId.nullable().meta({ description: 'The key that takes its place.' }),
    grace_until: z.iso.datetime().nullable().meta({ description: 'Until when a rotated key goes on working.' }),
    exposed_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the key was seen on plain HTTP, where anybody can read it. Rotate such a key.' }),
  })
  .meta({ id: 'ApiKey' })

export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = ApiKey.extend({
  key: z
    .string()
    .nullable()
    .meta({ description: 'The whole key, in this answer only. Null when the request was made before (a replay).' }),
}).meta({ id: 'NewApiKey' })

export type NewApiKey = z.infer<typeof NewApiKey>

const fields = {
  name: z.string().min(1).max(limits.keyNameChars),
  scopes: ScopeNames,
  agent_ids: z
    .array(AgentId)
    .min(1)
    .max(limits.agentsPerKey)
    .nullable()
    .meta({ description: 'Narrows the key to these agents. Null, or left out: every agent of the organisation.' }),
  expires_at: moment.nullable().meta({ description: 'When the key stops working. Null, or left out: never.' }),
}

export const CreateApiKey = z
  .strictObject({
    name: fields.name,
    kind: z
      .enum(['live', 'demo'])
      .optional()
      .meta({ description: '`live` unless told. A demo key has low limits and reaches no connectors.' }),
    scopes: fields.scopes,
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
  })
  .meta({ id: 'UpdateApiKey' })

export type UpdateApiKey = z.infer<typeof UpdateApiKey>

export const apiKeys = {
  list: operation({
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    description: 'Also those that were revoked or have expired. No answer ever shows a whole key again.',
    scope: 'keys:read',
    status: 200,
    input: z.strictObject({ ...Paging(ApiKeyId) }),
    output: listOf(ApiKey, 'ApiKeyList'),
    errors: [],
  }),
  create: operation({
    method: 'POST',
    path: '/api-keys',
    summary: 'Create an API key',
    description:
      'The whole key is in this answer and nowhere else afterwards. A key can grant nothing that its creator lacks: neither a ' +
      'scope nor an agent.',
    scope: 'keys:write',
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
      'What is left out is kept; null clears `agent_ids` and `expires_at`. It is effective everywhere within 5 seconds.',
    scope: 'keys:write',
    status: 200,
    input: UpdateApiKey,
    output: ApiKey,
    errors: ['not_found', 'input_invalid', 'key_not_active', 'scope_unknown'],
  }),
  revoke: operation({
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke an API key',
    description: 'The key stops working everywhere within 5 seconds, for good. Revoking it twice changes nothing.',
    scope: 'keys:write',
    status: 200,
    input: z.strictObject({ id: ApiKeyId }),
    output: ApiKey,
    errors: ['not_found'],
  }),
  rotate: operation({
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    summary: 'Rotate an API key',
    description:
      'Answers with a new key of the same name, scopes, agents and expiry. The old one goes on working for 24 hours, with ' +
      '`Deprecation` and `Sunset` in every answer; both count against the same limits.',
    scope: 'keys:write',
    status: 201,
    input: z.strictObject({ id: ApiKeyId }),
    output: NewApiKey,
    errors: ['not_found', 'idempotency_key_reused', 'key_not_active', 'limit_reached'],
    idempotent: true,
  }),
} as const

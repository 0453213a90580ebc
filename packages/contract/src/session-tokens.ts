import { z } from 'zod'
import { ScopeNames } from './api-keys.ts'
import { RunId } from './ids.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'
import { scopes } from './scopes.ts'

export const SessionToken = z
  .object({
    object: z.literal('session_token'),
    token: z.string().meta({ description: 'The whole token, in this answer only.' }),
    scopes: z.array(z.enum(scopes)),
    run_id: RunId.nullable().meta({ description: 'The only run that the token may touch; null: any.' }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'SessionToken' })

export type SessionToken = z.infer<typeof SessionToken>

export const CreateSessionToken = z
  .strictObject({
    scopes: ScopeNames,
    run_id: RunId.optional().meta({ description: 'Narrows the token to this run.' }),
    expires_in: z
      .int()
      .min(1)
      .max(limits.sessionTokenMaxSeconds)
      .optional()
      .meta({
        description: `Seconds, ${limits.sessionTokenDefaultSeconds} unless told.`,
        default: limits.sessionTokenDefaultSeconds,
      }),
  })
  .meta({ id: 'CreateSessionToken' })

export type CreateSessionToken = z.infer<typeof CreateSessionToken>

export const sessionTokens = {
  create: operation({
    method: 'POST',
    path: '/session-tokens',
    summary: 'Create a short-lived token',
    description:
      'For a browser: it may do a part of what its maker may do, for a short time, and dies with the key or the session that ' +
      'made it. With such a token a page of any origin may read, stream and answer a run. A token cannot make tokens.',
    scope: 'signed_in',
    status: 201,
    input: CreateSessionToken,
    output: SessionToken,
    errors: ['not_found', 'scope_unknown'],
  }),
} as const

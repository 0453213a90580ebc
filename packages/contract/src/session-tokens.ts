import { z } from 'zod'
import { ScopeNames } from './api-keys.ts'
import { ScopeName } from './fields.ts'
import { RunId } from './ids.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'

export const SessionToken = z
  .object({
    object: z.literal('session_token'),
    token: z.string().meta({ description: 'The complete token. Only this response contains it.' }),
    scopes: z.array(ScopeName).meta({ description: 'The permissions that it holds.' }),
    run_id: RunId.nullable().meta({
      description: 'The only run that the token can use; null: the runs that it creates.',
    }),
    expires_at: z.iso.datetime().meta({ description: 'When the token stops working.' }),
  })
  .meta({ id: 'SessionToken' })

export type SessionToken = z.infer<typeof SessionToken>

export const CreateSessionToken = z
  .strictObject({
    scopes: ScopeNames,
    run_id: RunId.optional().meta({
      description: 'Limits the token to this run. Omitted: the token sees only the runs that it creates itself.',
    }),
    expires_in: z.int().min(1).max(limits.sessionTokenMaxSeconds).optional().meta({
      description: 'Lifetime in seconds.',
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
      'For browsers. The token has a subset of the creator’s scopes and stops working when the creator’s key is revoked or the session ' +
      'ends. With it, a page of any origin can read, stream and cancel a run and send actions. Decisions need `runs:approve`.',
    scope: 'signed_in',
    names: 'run',
    by: 'run_id',
    lasting: true,
    status: 201,
    input: CreateSessionToken,
    output: SessionToken,
    errors: ['not_found', 'scope_unknown'],
  }),
} as const

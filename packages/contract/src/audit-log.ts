import { z } from 'zod'
import { AuditEntryId } from './ids.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const Facts = z.record(z.string(), z.unknown())

export const AuditEntry = z
  .object({
    id: AuditEntryId,
    object: z.literal('audit_entry'),
    actor: z
      .object({
        type: z.enum(['key', 'user', 'operator', 'service']),
        id: z.string().nullable().meta({ description: 'A key or a person; null for the operator and the service.' }),
      })
      .meta({ id: 'AuditActor', description: 'Who did it. What a short-lived token does, its parent does.' }),
    action: z.string().meta({ description: 'Like `api_key.revoked`.', examples: ['connector.created'] }),
    subject: z.string().nullable().meta({ description: 'The id of what was acted on.' }),
    address: z.string().nullable().meta({ description: 'The network address that the request came from.' }),
    request_id: z.string().nullable(),
    before: Facts.nullable().meta({ description: 'What was changed, as it was before. Never a secret.' }),
    after: Facts.nullable().meta({ description: 'The same, as it is since. Never a secret.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditEntry' })

export type AuditEntry = z.infer<typeof AuditEntry>

const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => new Date(text).getTime() >= 0, 'must not lie before 1970')
  .optional()

const idOf = (prefixes: string) => new RegExp(`^(?:${prefixes})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

export const auditLog = {
  list: operation({
    method: 'GET',
    path: '/audit-log',
    summary: 'List administrative acts',
    description:
      'Who did what to whom, from where, and what it was before and after. Entries are never changed or erased.',
    scope: 'audit:read',
    status: 200,
    input: z.strictObject({
      ...Paging(AuditEntryId),
      actor: z
        .string()
        .regex(idOf('key|usr'), 'must be the id of an API key, key_…, or of a user, usr_…')
        .optional()
        .meta({ description: 'What this key or this person did.' }),
      action: z
        .string()
        .max(100)
        .regex(/^[a-z_]+\.[a-z_]+$/, 'must be an action, like api_key.revoked')
        .optional(),
      subject: z
        .string()
        .regex(idOf('[a-z]{2,4}'), 'must be an id')
        .optional()
        .meta({ description: 'What was done to this thing.' }),
      created_after: moment,
      created_before: moment,
    }),
    output: listOf(AuditEntry, 'AuditEntryList'),
    errors: ['input_invalid'],
  }),
} as const

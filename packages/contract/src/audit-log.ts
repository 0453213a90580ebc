import { z } from 'zod'
import { Actor } from './actor.ts'
import { fieldLimits } from './bounds.ts'
import { createdAt, JsonObject } from './fields.ts'
import { AuditEntryId } from './ids.ts'
import { createdBetween, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const AuditEntry = z
  .object({
    id: AuditEntryId,
    object: z.literal('audit_entry'),
    number: z.int().meta({ description: 'The position in the log of the organisation: 1, 2, 3 … without gaps.' }),
    hash: z.string().meta({
      description:
        'SHA-256 in hexadecimal of the hash of the entry before and `canonical`. The first entry follows the byte 0.',
    }),
    canonical: z
      .string()
      .meta({ description: 'The text that the hash covers: a JSON array of the fields of the entry.' }),
    actor: Actor,
    action: z
      .string()
      .meta({ description: 'Resource and action, such as `api_key.revoked`.', examples: ['connector.created'] }),
    subject: z.string().nullable().meta({ description: 'The id of the affected resource.' }),
    address: z.string().nullable().meta({ description: 'The IP address of the client.' }),
    request_id: z.string().nullable().meta({ description: 'The request that did it; null without one.' }),
    before: JsonObject.nullable().meta({
      description: 'The changed values before the operation. Never contains secrets.',
    }),
    after: JsonObject.nullable().meta({
      description: 'The changed values after the operation. Never contains secrets.',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'AuditEntry', description: 'One administrative operation.' })

export type AuditEntry = z.infer<typeof AuditEntry>

const idOf = (prefixes: string) => new RegExp(`^(?:${prefixes})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

export const auditLog = {
  list: operation({
    method: 'GET',
    path: '/audit-log',
    summary: 'List audit log entries',
    description:
      'Lists administrative operations with actor, address, and the values before and after. Entries are never changed or deleted. ' +
      'A key that is narrowed to agents gets its own entries, and those about its agents.',
    scope: 'audit:read',
    names: 'agents',
    status: 200,
    input: z.strictObject({
      ...Paging(AuditEntryId),
      actor: z
        .string()
        .regex(idOf('key|usr'), 'must be the id of an API key (key_…) or of a user (usr_…)')
        .optional()
        .meta({ description: 'Entries of this API key or person.' }),
      action: z
        .string()
        .max(fieldLimits.actionChars)
        .regex(/^[a-z_]+\.[a-z_]+$/, 'must be an action such as api_key.revoked')
        .optional()
        .meta({ description: 'Entries with this action, such as `api_key.revoked`.' }),
      subject: z
        .string()
        .regex(idOf('[a-z]{2,4}'), 'must be an id')
        .optional()
        .meta({ description: 'Entries about this resource.' }),
      ...createdBetween(),
    }),
    output: listOf(AuditEntry, 'AuditEntryList'),
    errors: [],
  }),
} as const

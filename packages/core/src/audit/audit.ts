import type { AuditEntry as WireEntry } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Actor, Ctx } from '../ctx.ts'

/** An administrative act. `before` and `after` hold what changed, and never a secret. */
export type AuditEntry = {
  /** A UUID. */
  id: string
  actor: AuditActor
  /** `noun.verb`, like `api_key.revoked`. */
  action: string
  /** The id of what was acted on, as customers see it. */
  subject: string | null
  address: string | null
  requestId: string | null
  before: AuditFacts | null
  after: AuditFacts | null
}

/** An operator acts by command and is named by user and host; the service acts on its own schedule and has no id. */
export type AuditActor = Actor | { type: 'operator'; id: string } | { type: 'service'; id: null }
export type AuditFacts = Readonly<Record<string, unknown>>

/** The entry for something that a request does. */
export const auditOf = (
  ctx: Pick<Ctx, 'actor' | 'address' | 'requestId'>,
  id: string,
  act: { action: string; subject: string | null; before?: AuditFacts | null; after?: AuditFacts | null },
): AuditEntry => ({
  id,
  actor: ctx.actor,
  address: ctx.address,
  requestId: ctx.requestId,
  action: act.action,
  subject: act.subject,
  before: act.before ?? null,
  after: act.after ?? null,
})

/** An entry as the database keeps it. */
export type AuditRow = {
  id: string
  number: string
  hash: Buffer
  canonical: string
  actor_type: WireEntry['actor']['type']
  actor_id: string | null
  action: string
  subject: string | null
  address: string | null
  request_id: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  created_at: Date
}

export const toWireEntry = (row: AuditRow): WireEntry => ({
  id: fromUuid('aud', row.id),
  object: 'audit_entry',
  number: Number(row.number),
  hash: row.hash.toString('hex'),
  canonical: row.canonical,
  actor: { type: row.actor_type, id: row.actor_id },
  action: row.action,
  subject: row.subject,
  address: row.address,
  request_id: row.request_id,
  before: row.before,
  after: row.after,
  created_at: row.created_at.toISOString(),
})

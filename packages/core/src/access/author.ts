import type { AuditEntry, AuditFacts } from '../audit/index.ts'

/** The actor of an administrative act, and its address. A request's `Ctx` is one. */
export type AuditAuthor = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>

/** The service itself, because of a request that it rejected. */
export const serviceAt = (request: { address: string; requestId: string }): AuditAuthor => ({
  actor: { type: 'service', id: null },
  ...request,
})

export const entryOf = (
  { actor, address, requestId }: AuditAuthor,
  id: string,
  act: { action: string; subject: string; before?: AuditFacts; after?: AuditFacts },
): AuditEntry => ({
  id,
  actor,
  address,
  requestId,
  action: act.action,
  subject: act.subject,
  before: act.before ?? null,
  after: act.after ?? null,
})

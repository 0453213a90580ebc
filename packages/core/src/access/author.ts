import type { AuditEntry, AuditFacts } from '../audit/index.ts'

/** Who does an administrative act, and from where. A request's `Ctx` is one. */
export type Author = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>

/** Whoever runs the service, at its own console. */
export const operator: Author = { actor: { type: 'operator', id: null }, address: null, requestId: null }

/** The service by itself, because of a request that it has not let in. */
export const serviceAt = (request: { address: string; requestId: string }): Author => ({
  actor: { type: 'service', id: null },
  ...request,
})

export const entryOf = (
  { actor, address, requestId }: Author,
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

import type { Database, Tx } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { statement } from '@ars/platform/db/statement'
import type { AuditEntry, AuditRow } from './audit.ts'

/**
 * Appends in the transaction of the act itself: neither is there without the other. It locks the end of the organisation's
 * log until the commit, so it is called last.
 */
export const recordAudit = async (tx: Tx, org: string, entry: AuditEntry): Promise<void> => {
  const { id, actor, action, subject, address, requestId, before, after } = entry
  await tx.query(
    append(id, org, actor.type, actor.id, action, subject, address, requestId, toJson(before), toJson(after)),
  )
}

export type AuditPage = {
  limit: number
  after: string | null
  before: string | null
  actor: string | null
  action: string | null
  subject: string | null
  createdAfter: Date | null
  createdBefore: Date | null
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listAudit = (db: Database, org: string, page: AuditPage): Promise<AuditRow[]> => {
  const conditions = [
    sql`org_id = ${org}`,
    page.after && sql`id < ${page.after}`,
    page.before && sql`id > ${page.before}`,
    page.actor && sql`actor_id = ${page.actor}`,
    page.action && sql`action = ${page.action}`,
    page.subject && sql`subject = ${page.subject}`,
    // A date is shown to the millisecond and kept to the microsecond: an entry must not come after the date that it shows.
    page.createdAfter && sql`created_at >= ${new Date(page.createdAfter.getTime() + 1)}`,
    page.createdBefore && sql`created_at < ${page.createdBefore}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  const query = sql`select id, actor_type, actor_id, action, subject, address, request_id, before, after, created_at
    from audit_log where ${sql.join(conditions, sql` and `)} order by id ${order} limit ${page.limit}`
  return db.once<AuditRow>(org, toStatement(query))
}

const toJson = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value))

const append = statement(
  'audit.append',
  'select append_audit($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10::json) is null',
)

import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Fitting, fittingFrame } from '@ars/platform/db/fitting-page'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AuditEntry, AuditRow } from './audit.ts'

/**
 * Appends in the transaction of the action, so that neither exists without the other. It locks the end of the log of the
 * organisation until the commit, so call it last.
 */
export const recordAudit = async (tx: Tx, org: string, entry: AuditEntry): Promise<void> => {
  const { id, actor, action, subject, address, requestId, before, after } = entry
  await tx.query(
    append({
      id,
      org,
      actorType: actor.type,
      actorId: actor.id,
      action,
      subject,
      address,
      requestId,
      before: toJson(before),
      after: toJson(after),
    }),
  )
}

export type AuditPage = {
  limit: number
  after: string | null
  before: string | null
  actor: string | null
  action: string | null
  subject: string | null
  /** Only entries of this actor or about these subjects; null: all. */
  part: { actor: string; subjects: readonly string[] } | null
  createdAfter: Date | null
  createdBefore: Date | null
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listAudit = (db: Database, org: string, page: AuditPage): Promise<Fitting<AuditRow>[]> => {
  const conditions = [
    dynamicSql`org_id = ${org}`,
    page.after && dynamicSql`id < ${page.after}`,
    page.before && dynamicSql`id > ${page.before}`,
    page.actor && dynamicSql`actor_id = ${page.actor}`,
    page.action && dynamicSql`action = ${page.action}`,
    page.subject && dynamicSql`subject = ${page.subject}`,
    page.part && dynamicSql`(actor_id = ${page.part.actor} or subject = any (${[...page.part.subjects]}::text[]))`,
    // Dates are shown in milliseconds and stored in microseconds: an entry must not be later than the date that it shows.
    page.createdAfter && dynamicSql`created_at >= ${new Date(page.createdAfter.getTime() + 1)}`,
    page.createdBefore && dynamicSql`created_at < ${page.createdBefore}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  const { begin, middle, end } = frames[page.before === null ? 'desc' : 'asc']
  const query = dynamicSql`${dynamicSql.raw(begin)}select ${dynamicSql.raw(columns.replace('canonical', `${canonicalText} as canonical`))},
      -- The entry and its canonical text contain both.
      2 * (coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0)) as bytes
    from audit_log where ${dynamicSql.join(conditions, dynamicSql` and `)} order by id ${order} limit ${page.limit}
    ${dynamicSql.raw(middle)}${limits.pageBytes}${dynamicSql.raw(end)}`
  return db.once(org, toStatement<Fitting<AuditRow>>(query))
}

const columns =
  'id, number, hash, canonical, actor_type, actor_id, action, subject, address, request_id, before, after, created_at'
const frames = {
  desc: fittingFrame({ inner: columns, order: 'id desc' }),
  asc: fittingFrame({ inner: columns, order: 'id' }),
} as const

/** The text that `audit_hash()` hashes. */
const canonicalText = `json_build_array(id, org_id, number, actor_type, actor_id, action, subject, address, request_id, before,
      after, extract(epoch from created_at)::text)::text`

const toJson = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value))

const append = statement<{
  id: Uuid
  org: Uuid
  actorType: string
  actorId: string | null
  action: string
  subject: string | null
  address: string | null
  requestId: Uuid | null
  before: Json | null
  after: Json | null
}>(
  'audit.append',
  sql`select append_audit(:id, :org, :actorType, :actorId, :action, :subject, :address, :requestId, :before::json,
     :after::json) is null`,
)

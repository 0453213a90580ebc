import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AttachmentRow, SubjectType } from './policy.ts'

export const findAttachment = async (
  db: Database,
  org: string,
  { policyId, subjectId }: { policyId: string; subjectId: string },
): Promise<AttachmentRow | null> => {
  const [row] = await db.once(org, find({ org, policyId, subjectId }))
  return row ?? null
}

export type AttachmentPage = { policyId: string; after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listAttachments = (db: Database, org: string, page: AttachmentPage): Promise<AttachmentRow[]> => {
  const { policyId, after, before, limit } = page
  const asked = { org, policyId, limit }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

export type NewAttachment = {
  id: string
  policyId: string
  subjectType: SubjectType
  subjectId: string
  newRunsOnly: boolean
}

/** `isNew` false: the policy was attached to the subject before, and that attachment is returned. */
export const insertAttachment = async (
  tx: Tx,
  org: string,
  attachment: NewAttachment,
): Promise<AttachmentRow & { isNew: boolean }> => {
  const [added] = await tx.query(add({ org, ...attachment }))
  if (added) return { ...added, isNew: true }
  const { policyId, subjectId } = attachment
  const [found] = await tx.query(find({ org, policyId, subjectId }))
  if (!found) throw new Error('The database did not return the attachment')
  return { ...found, isNew: false }
}

/** Null: there is no such attachment of the policy. */
export const deleteAttachment = async (
  tx: Tx,
  org: string,
  { policyId, id }: { policyId: string; id: string },
): Promise<AttachmentRow | null> => {
  const [row] = await tx.query(remove({ org, policyId, id }))
  return row ?? null
}

export const deleteAttachmentsOf = async (tx: Tx, org: string, policyId: string): Promise<AttachmentRow[]> =>
  tx.query(removeAll({ org, policyId }))

export const countAttachments = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.attachments ?? 0
}

const columns = 'id, policy_id, subject_type, subject_id, new_runs_only, created_at'

const find = statement<{ org: Uuid; policyId: Uuid; subjectId: Uuid }, AttachmentRow>(
  'policy_attachments.find',
  sql`select ${columns} from policy_attachments where org_id = :org and subject_id = :subjectId and policy_id = :policyId`,
)

type Asked = { org: Uuid; policyId: Uuid; limit: number }

const listOlder = statement<Asked & { after: Uuid | null }, AttachmentRow>(
  'policy_attachments.list_older',
  sql`select ${columns} from policy_attachments
       where org_id = :org and policy_id = :policyId and (:after::uuid is null or id < :after) order by id desc limit :limit`,
)

const listNewer = statement<Asked & { before: Uuid }, AttachmentRow>(
  'policy_attachments.list_newer',
  sql`select ${columns} from policy_attachments
       where org_id = :org and policy_id = :policyId and id > :before order by id limit :limit`,
)

const add = statement<NewAttachment & { org: Uuid }, AttachmentRow>(
  'policy_attachments.add',
  sql`insert into policy_attachments (id, org_id, policy_id, subject_type, subject_id, new_runs_only)
      values (:id, :org, :policyId, :subjectType, :subjectId, :newRunsOnly) on conflict do nothing returning ${columns}`,
)

const remove = statement<{ org: Uuid; policyId: Uuid; id: Uuid }, AttachmentRow>(
  'policy_attachments.remove',
  sql`delete from policy_attachments where org_id = :org and policy_id = :policyId and id = :id returning ${columns}`,
)

const removeAll = statement<{ org: Uuid; policyId: Uuid }, AttachmentRow>(
  'policy_attachments.remove_all',
  sql`delete from policy_attachments where org_id = :org and policy_id = :policyId returning ${columns}`,
)

const count = statement<{ org: Uuid }, { attachments: number }>(
  'policy_attachments.count',
  sql`select count(*)::integer as attachments from policy_attachments where org_id = :org`,
)

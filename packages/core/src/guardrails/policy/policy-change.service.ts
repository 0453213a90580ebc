import type { ChangedPolicy } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AuditEntry, type AuditFacts, recordAudit } from '../../audit/index.ts'
import { recordEvent } from '../../events/index.ts'
import type { PolicyChange, PolicyRow } from './policy.ts'

type Actor = Pick<AuditEntry, 'actor' | 'address' | 'requestId'> & { org: string }

type Change = {
  policy: PolicyRow
  change: PolicyChange
  /** What it was attached to or detached from, as customers see it. */
  subjectId?: string
  before?: AuditFacts
  after?: AuditFacts
}

/** The entry of the audit log and the event of a change, in its transaction. */
export const recordChange = async (
  tx: Tx,
  { org, actor, address, requestId }: Actor,
  newId: IdMaker,
  { policy, change, subjectId, before, after }: Change,
): Promise<void> => {
  const data: ChangedPolicy = {
    policy_id: fromUuid('pol', policy.id),
    name: policy.name,
    change,
    version: policy.version,
    mode: policy.mode,
    subject_id: subjectId ?? null,
    actor: { type: actor.type, id: actor.id },
  }
  await recordEvent(tx, org, { id: toUuid(newId('evt')), type: 'policy.updated', subjectId: policy.id, data })
  await recordAudit(tx, org, {
    id: toUuid(newId('aud')),
    actor,
    address,
    requestId,
    action: `policy.${change}`,
    subject: data.policy_id,
    before: before ?? null,
    after: after ?? null,
  })
}

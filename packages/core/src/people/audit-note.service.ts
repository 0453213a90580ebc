import type { Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { operatorName } from '@ars/platform/operator-name'
import { type AuditEntry, type AuditFacts, auditOf, recordAudit } from '../audit/index.ts'
import { setTenant } from './member.store.ts'
import { listOrganisationsOf } from './user.store.ts'
import type { Visitor } from './visitor.ts'

/**
 * Writes one entry into the logs of several organisations. It comes last in its transaction and uses one order,
 * because each log is locked until the commit: two transactions with different orders would deadlock.
 */
export const recordAll = async (tx: Tx, notes: readonly { org: string; entry: AuditEntry }[]): Promise<void> => {
  for (const { org, entry } of notes.toSorted((a, b) => Number(a.org > b.org) - Number(a.org < b.org))) {
    await setTenant(tx, org)
    await recordAudit(tx, org, entry)
  }
}

type PersonAct = { action: string; before?: AuditFacts; after: AuditFacts }

/** What a person does to their own account, for the log of each of their organisations. */
export const notesOfPerson = async (
  tx: Tx,
  { visitor, newId, user }: { visitor: Visitor; newId: IdMaker; user: string },
  act: PersonAct,
): Promise<{ org: string; entry: AuditEntry }[]> => {
  const id = fromUuid('usr', user)
  const organisations = await listOrganisationsOf(tx, user)
  return organisations.map((org) => ({
    org,
    entry: auditOf({ ...visitor, actor: { type: 'user', id } }, toUuid(newId('aud')), { ...act, subject: id }),
  }))
}

/** Commands of the operator have no address and no request. */
export const byOperator = (id: string, act: { action: string; subject: string; after?: AuditFacts }): AuditEntry => ({
  id,
  actor: { type: 'operator', id: operatorName() },
  address: null,
  requestId: null,
  action: act.action,
  subject: act.subject,
  before: null,
  after: act.after ?? null,
})

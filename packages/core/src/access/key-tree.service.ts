import type { Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { recordAudit } from '../audit/index.ts'
import { listBelow, listKeysOfPerson, lockKeys, revokeKeys } from './api-key.store.ts'
import { type ApiKey, grantOf, toWireKey } from './api-key.ts'
import { type AuditAuthor, entryOf } from './author.ts'
import { type Dominator, requireDominance } from './grant.ts'

/** Keys with everything below them: the keys that they created, their successors after a rotation, and theirs. */
export type KeyTree = {
  /** Revokes the valid keys below this one, not the key itself. Refused if one of them may do more than the caller. */
  revokeBelow(tx: Tx, org: string, caller: AuditAuthor & Dominator, keyId: string): Promise<string[]>
  /** The valid keys that a person created and those below them. No key can be added before the commit. */
  lockOfPerson(tx: Tx, org: string, userId: string): Promise<string[]>
  /** One audit entry for each key. An organisation has at most 1,000 valid keys. */
  revoke(tx: Tx, org: string, author: AuditAuthor, ids: readonly string[]): Promise<ApiKey[]>
  /** After the commit: every process drops what it cached about the keys of the organisation. */
  forget(org: string): void
}

export const createKeyTree = ({ newId, forget }: { newId: IdMaker; forget: (org: string) => void }): KeyTree => {
  const revoke: KeyTree['revoke'] = async (tx, org, author, ids) => {
    const rows = await revokeKeys(tx, org, ids)
    for (const row of rows) {
      const act = {
        action: 'api_key.revoked',
        subject: fromUuid('key', row.id),
        after: { revoked_at: toWireKey(row).revoked_at },
      }
      await recordAudit(tx, org, entryOf(author, toUuid(newId('aud')), act))
    }
    return rows
  }
  return {
    revoke,
    forget,
    revokeBelow: async (tx, org, caller, keyId) => {
      const ids = await listBelow(tx, org, [keyId])
      for (const row of await revoke(tx, org, caller, ids)) requireDominance(caller, grantOf(row))
      return ids
    },
    lockOfPerson: async (tx, org, userId) => {
      await lockKeys(tx, org)
      const own = await listKeysOfPerson(tx, org, userId)
      const usable = own.filter((key) => key.is_usable).map(({ id }) => id)
      const below = await listBelow(
        tx,
        org,
        own.map(({ id }) => id),
      )
      return [...usable, ...below]
    },
  }
}

import type { Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { lockPolicySet, updatePolicySet } from '../../access/index.ts'
import { insertSet, markReplaced, readInForce, readSet, weighInForce } from './policy-set.store.ts'
import { isSameSet, requireWeight } from './policy-set.ts'

/**
 * Changes policies or attachments of the organisation, and points it at a new set if something else is in force then. The
 * organisation is locked first, so that two changes are in order and each set contains all changes before it.
 */
export const changePolicies = async <Result>(
  tx: Tx,
  org: string,
  newId: IdMaker,
  change: () => Promise<Result>,
): Promise<Result> => {
  const current = await lockPolicySet(tx, org)
  const result = await change()
  const entries = await readInForce(tx, org)
  const before = current === null ? [] : await readSet(tx, org, current)
  if (isSameSet(before, entries)) return result
  requireWeight(await weighInForce(tx, org))
  // The prefix is not part of the stored id: no caller sees a set.
  const id = entries.length === 0 ? null : toUuid(newId('pol'))
  if (id !== null) await insertSet(tx, org, id, entries)
  await updatePolicySet(tx, org, id)
  if (current !== null) await markReplaced(tx, org, current)
  return result
}

import type { Tx } from '@ars/platform/db/database'
import { isLockTimeout } from '@ars/platform/db/unavailable'
import { Fault } from '../fault.ts'
import { holdMembers } from './member.store.ts'

/**
 * Serialises changes of the members of an organisation until the commit. A caller who would wait too long is asked to come
 * back: the database is well, and the organisation itself makes the other changes.
 */
export const lockMembers = async (tx: Tx, org: string): Promise<void> => {
  try {
    await holdMembers(tx, org)
  } catch (error) {
    throw isLockTimeout(error) ? othersChange(error) : error
  }
}

const othersChange = (cause: unknown): Fault => {
  const message = 'The members of this organisation are being changed by other requests. Retry in 1 s.'
  return new Fault('rate_limited', message, { retryAfterSeconds: 1, cause })
}

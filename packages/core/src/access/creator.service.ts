import type { Database } from '@ars/platform/db/database'
import type { Caller, Creator } from '../ctx.ts'
import { callerOfMember, foundByKey, type ScopesOfRole } from './caller.ts'
import { findMemberOf, findUsableKey } from './creator.store.ts'

/**
 * What a key or a member may do now, read each time: for work that goes on after its request. Null: the key was revoked or has expired, or
 * the person is no member any more. A key that was rotated is followed to the rotation that works.
 */
export const createCallerOf =
  ({ app, scopesOfRole }: { app: Database; scopesOfRole: ScopesOfRole }) =>
  async (org: string, { type, id }: Creator): Promise<Caller | null> => {
    if (type === 'key') {
      const row = await findUsableKey(app, org, id)
      return row && foundByKey(row).caller
    }
    const row = await findMemberOf(app, org, id)
    return row && callerOfMember(row, scopesOfRole)
  }

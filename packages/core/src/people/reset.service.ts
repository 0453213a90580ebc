import type { MemberId } from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { byOperator, recordAll } from './audit-note.service.ts'
import { authorityOf, requireGrant, requireLasting } from './authority.service.ts'
import { normaliseEmail } from './email.ts'
import { findMember, lockMembers } from './member.store.ts'
import { linkOf } from './member.ts'
import { insertReset, voidResets } from './reset.store.ts'
import { tokenBytes } from './session.ts'
import { findUserByEmail, listOrganisationsOf, lockUser } from './user.store.ts'

export type ResetService = {
  /** For a member of this organisation only. */
  makeLink(ctx: Ctx, id: MemberId): Promise<ResetLink>
  /** For anybody. Null: there is no such person. */
  makeLinkByOperator(email: string): Promise<ResetLink | null>
}

/** The link is part of this response only and cannot be read later. */
export type ResetLink = { link: string; expiresAt: Date }

type Deps = { auth: Database; newId: IdMaker; config: { publicUrl: string } }

export const createResets = ({ auth, newId, config }: Deps): ResetService => {
  const add = async (tx: Tx, user: string): Promise<ResetLink> => {
    const token = randomBytes(tokenBytes).toString('base64url')
    await voidResets(tx, user)
    const expiresAt = await insertReset(tx, { id: toUuid(newId('pwr')), user, hash: sha256(token) })
    return { link: linkOf(config.publicUrl, 'password-reset', token), expiresAt }
  }

  return {
    makeLink: (ctx, id) =>
      auth.transaction(ctx.org, async (tx) => {
        await lockMembers(tx, ctx.org)
        const authority = await authorityOf(tx, ctx)
        const member = await findMember(tx, ctx.org, toUuid(id))
        if (!member) throw new Fault('not_found', `No member ${id}`)
        // The holder of the link can do everything that the person can.
        requireGrant(authority, member.role)
        requireLasting(authority)
        await lockUser(tx, member.user_id)
        const organisations = await listOrganisationsOf(tx, member.user_id)
        if (organisations.length > 1) {
          throw new Fault('password_reset_refused', 'This person belongs to other organisations too; ask the operator')
        }
        const made = await add(tx, member.user_id)
        const act = { action: 'password.reset_link_made', subject: fromUuid('usr', member.user_id) }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return made
      }),
    makeLinkByOperator: async (email) => {
      const user = await findUserByEmail(auth, normaliseEmail(email))
      if (!user) return null
      return auth.transaction(null, async (tx) => {
        await lockUser(tx, user.id)
        const made = await add(tx, user.id)
        const act = { action: 'password.reset_link_made', subject: fromUuid('usr', user.id) }
        await recordAll(
          tx,
          (await listOrganisationsOf(tx, user.id)).map((org) => ({
            org,
            entry: byOperator(toUuid(newId('aud')), act),
          })),
        )
        return made
      })
    },
  }
}

import type { MemberId } from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import type { MailDesk } from '../mail/index.ts'
import { byOperator, recordAll } from './audit-note.service.ts'
import { authorityOf, requireReset } from './authority.service.ts'
import { peopleBounds } from './bounds.ts'
import { normaliseEmail } from './email.ts'
import { findMember } from './member.store.ts'
import { linkOf } from './member.ts'
import { lockMembers } from './member-lock.service.ts'
import { insertReset, voidResets } from './reset.store.ts'
import { tokenBytes } from './session.ts'
import { listOrganisationsOf, listUsersByEmail, lockUser } from './user.store.ts'

export type ResetService = {
  /** For a member of this organisation only. */
  makeLink(ctx: Ctx, id: MemberId): Promise<ResetLink & { isMailed: boolean }>
  /** For anybody. An address may belong to several accounts; then the organisation decides. */
  makeLinkByOperator(email: string, org?: string): Promise<OperatorsLink>
}

/** The link is part of this response only and cannot be read later. */
export type ResetLink = { link: string; expiresAt: Date }

export type OperatorsLink =
  | ({ kind: 'made' } & ResetLink)
  | { kind: 'unknown' }
  | { kind: 'several'; organisations: readonly string[] }

/** Accounts of one address that the operator is shown. */
const maxAccounts = peopleBounds.accountsShown.count

type Deps = { auth: Database; newId: IdMaker; config: { publicUrl: string }; mail?: MailDesk | undefined }

export const createResets = ({ auth, newId, config, mail }: Deps): ResetService => {
  const newToken = () => randomBytes(tokenBytes).toString('base64url')
  const add = async (tx: Tx, user: string, token: string): Promise<ResetLink> => {
    await voidResets(tx, user)
    const expiresAt = await insertReset(tx, { id: toUuid(newId('pwr')), user, hash: sha256(token) })
    return { link: linkOf(config.publicUrl, 'password-reset', token), expiresAt }
  }

  return {
    makeLink: async (ctx, id) => {
      const token = newToken()
      // Before the transaction, because sealing may read a key with another connection.
      const letter = mail && (await mail.seal(ctx.org, linkOf(config.publicUrl, 'password-reset', token)))
      return auth.transaction(ctx.org, async (tx) => {
        await lockMembers(tx, ctx.org)
        const authority = await authorityOf(tx, ctx)
        const member = await findMember(tx, ctx.org, toUuid(id))
        if (!member) throw new Fault('not_found', `No member ${id}`)
        requireReset(authority, member.role)
        await lockUser(tx, member.user_id)
        const organisations = await listOrganisationsOf(tx, member.user_id)
        if (organisations.length > 1) {
          throw new Fault('password_reset_refused', 'This person belongs to other organisations too; ask the operator')
        }
        const made = await add(tx, member.user_id, token)
        const toBeQueued = { kind: 'password_reset', email: member.email, to: { user: member.user_id } } as const
        const isMailed = letter !== undefined && (await mail?.queue(tx, ctx.org, { ...letter, ...toBeQueued })) === true
        const act = { action: 'password.reset_link_made', subject: fromUuid('usr', member.user_id) }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return { ...made, isMailed }
      })
    },
    makeLinkByOperator: async (email, org) => {
      const [user, ...others] = await listUsersByEmail(auth, normaliseEmail(email), maxAccounts, { org })
      if (!user) return { kind: 'unknown' }
      if (others.length > 0) {
        const organisations = [user, ...others].flatMap((each) => each.organisations.map(({ id }) => id))
        return { kind: 'several', organisations }
      }
      return auth.transaction(null, async (tx) => {
        await lockUser(tx, user.id)
        const made = await add(tx, user.id, newToken())
        const act = { action: 'password.reset_link_made', subject: fromUuid('usr', user.id) }
        await recordAll(
          tx,
          (await listOrganisationsOf(tx, user.id)).map((each) => ({
            org: each,
            entry: byOperator(toUuid(newId('aud')), act),
          })),
        )
        return { kind: 'made', ...made }
      })
    },
  }
}

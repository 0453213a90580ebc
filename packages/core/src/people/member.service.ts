import type { MemberId, MemberSummary, Role, Member as WireMember } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { authorityOf, requireGrant, requireLasting, requireManage } from './authority.service.ts'
import { revokeInvitationsBy } from './invitation.store.ts'
import { countMembers, deleteMember, findMember, listMembers, setRole } from './member.store.ts'
import { type Member, memberToSummary, memberToWire } from './member.ts'
import { lockMembers } from './member-lock.service.ts'
import { isHigher } from './role.ts'
import { endSessionsOfMember } from './session.store.ts'
import type { SessionLookup } from './session-lookup.service.ts'

export type MemberService = {
  list(ctx: Pick<Ctx, 'org'>, page: ListMembers): Promise<ReturnType<typeof toList<WireMember>>>
  /** Names and roles, for every person of the organisation. */
  directory(ctx: Pick<Ctx, 'org'>, page: ListMembers): Promise<ReturnType<typeof toList<MemberSummary>>>
  update(ctx: Ctx, id: MemberId, change: { role: Role }): Promise<Member>
  /** Members use this to leave, too. Answers the member that was removed. */
  remove(ctx: Ctx, id: MemberId, options?: { keys?: 'revoke' | 'keep' | undefined }): Promise<Member>
}

type ListMembers = { limit?: number | undefined; after?: MemberId | undefined; before?: MemberId | undefined }
type Deps = { app: Database; newId: IdMaker; lookup: SessionLookup; keys: KeysOfPeople }

/** The API keys that people created, with the keys below them. They belong to another slice. */
export type KeysOfPeople = {
  /** The valid ones. No key can be added before the commit. */
  lockOfPerson(tx: Tx, org: string, userId: string): Promise<string[]>
  revoke(tx: Tx, org: string, author: Ctx, ids: readonly string[]): Promise<unknown>
  /** Every process drops what it cached about the keys of the organisation. */
  forget(org: string): void
}

export const createMembers = ({ app, newId, lookup, keys }: Deps): MemberService => ({
  list: async ({ org }, page) => toList((await readPage(app, org, page)).map(memberToWire), page),
  directory: async ({ org }, page) => toList((await readPage(app, org, page)).map(memberToSummary), page),
  update: async (ctx, id, { role }) => {
    const member = await app.transaction(ctx.org, async (tx) => {
      await lockMembers(tx, ctx.org)
      const authority = await authorityOf(tx, ctx)
      const before = await getMember(tx, ctx.org, id)
      requireManage(authority, before.role)
      requireGrant(authority, role)
      if (isHigher(role, before.role)) requireLasting(authority)
      if (before.role === role) return before
      if (before.role === 'owner') await keepAnOwner(tx, ctx.org)
      await setRole(tx, ctx.org, before.id, role)
      // Invitations made with the old role may grant more than the new role may grant.
      const withdrawn = await revokeInvitationsBy(tx, ctx.org, before.user_id)
      await recordAudit(
        tx,
        ctx.org,
        auditOf(ctx, toUuid(newId('aud')), {
          action: 'member.role_changed',
          subject: id,
          before: { role: before.role },
          after: { role, invitations_revoked: withdrawn },
        }),
      )
      return { ...before, role }
    })
    lookup.forget({ user: member.user_id, org: ctx.org })
    return member
  },
  remove: async (ctx, id, { keys: decision } = {}) => {
    const { member, revoked } = await app.transaction(ctx.org, async (tx) => {
      await lockMembers(tx, ctx.org)
      const authority = await authorityOf(tx, ctx)
      const gone = await getMember(tx, ctx.org, id)
      requireManage(authority, gone.role)
      if (gone.role === 'owner') await keepAnOwner(tx, ctx.org)
      const made = await keys.lockOfPerson(tx, ctx.org, gone.user_id)
      if (made.length > 0 && decision === undefined) throw keysUndecided(made.length)
      await deleteMember(tx, ctx.org, gone.id)
      if (decision === 'revoke') await keys.revoke(tx, ctx.org, ctx, made)
      const withdrawn = await revokeInvitationsBy(tx, ctx.org, gone.user_id)
      const ended = await endSessionsOfMember(tx, ctx.org, gone.user_id)
      await recordAudit(
        tx,
        ctx.org,
        auditOf(ctx, toUuid(newId('aud')), {
          action: 'member.removed',
          subject: id,
          before: { email: gone.email, role: gone.role },
          after: {
            sessions_ended: ended,
            invitations_revoked: withdrawn,
            ...(made.length > 0 && { [decision === 'revoke' ? 'keys_revoked' : 'keys_kept']: made.length }),
          },
        }),
      )
      return { member: gone, revoked: decision === 'revoke' && made.length > 0 }
    })
    lookup.forget({ user: member.user_id, org: ctx.org })
    if (revoked) keys.forget(ctx.org)
    return member
  },
})

const readPage = (app: Database, org: string, page: ListMembers): Promise<Member[]> =>
  listMembers(app, org, {
    after: page.after === undefined ? null : toUuid(page.after),
    before: page.before === undefined ? null : toUuid(page.before),
    limit: pageSize(page) + 1,
  })

const getMember = async (tx: Tx, org: string, id: MemberId): Promise<Member> => {
  const member = await findMember(tx, org, toUuid(id))
  if (!member) throw new Fault('not_found', `No member ${id}`)
  return member
}

const keysUndecided = (count: number): Fault =>
  new Fault(
    'keys_undecided',
    `${count === 1 ? '1 active API key was' : `${count} active API keys were`} created by this member. Send keys=revoke or keys=keep.`,
    { param: 'keys' },
  )

/** Rejects the removal of the last owner. The count is exact until the commit because of the lock. */
const keepAnOwner = async (tx: Tx, org: string): Promise<void> => {
  const { owners } = await countMembers(tx, org)
  if (owners <= 1) throw new Fault('last_owner', 'This is the only owner; make another member owner first')
}

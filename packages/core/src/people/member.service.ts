import type { MemberId, Role, Member as WireMember } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { authorityOf, requireGrant, requireManage } from './authority.service.ts'
import { revokeInvitationsBy } from './invitation.store.ts'
import { countMembers, deleteMember, findMember, listMembers, lockMembers, setRole } from './member.store.ts'
import { type Member, memberToWire } from './member.ts'
import { endSessionsOfMember } from './session.store.ts'
import type { SessionLookup } from './session-lookup.service.ts'

export type MemberService = {
  list(ctx: Pick<Ctx, 'org'>, page: ListMembers): Promise<ReturnType<typeof toList<WireMember>>>
  update(ctx: Ctx, id: MemberId, change: { role: Role }): Promise<Member>
  /** Members use this to leave, too. Answers the member that was removed. */
  remove(ctx: Ctx, id: MemberId): Promise<Member>
}

type ListMembers = { limit?: number | undefined; after?: MemberId | undefined; before?: MemberId | undefined }
type Deps = { app: Database; newId: IdMaker; lookup: SessionLookup }

export const createMembers = ({ app, newId, lookup }: Deps): MemberService => ({
  list: async ({ org }, page) => {
    const rows = await listMembers(app, org, {
      after: page.after === undefined ? null : toUuid(page.after),
      before: page.before === undefined ? null : toUuid(page.before),
      limit: pageSize(page) + 1,
    })
    return toList(
      rows.map((row) => memberToWire(row)),
      page,
    )
  },
  update: async (ctx, id, { role }) => {
    const member = await app.transaction(ctx.org, async (tx) => {
      await lockMembers(tx, ctx.org)
      const authority = await authorityOf(tx, ctx)
      const before = await getMember(tx, ctx.org, id)
      requireManage(authority, before.role)
      requireGrant(authority, role)
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
  remove: async (ctx, id) => {
    const member = await app.transaction(ctx.org, async (tx) => {
      await lockMembers(tx, ctx.org)
      const authority = await authorityOf(tx, ctx)
      const gone = await getMember(tx, ctx.org, id)
      requireManage(authority, gone.role)
      if (gone.role === 'owner') await keepAnOwner(tx, ctx.org)
      await deleteMember(tx, ctx.org, gone.id)
      const withdrawn = await revokeInvitationsBy(tx, ctx.org, gone.user_id)
      const ended = await endSessionsOfMember(tx, ctx.org, gone.user_id)
      await recordAudit(
        tx,
        ctx.org,
        auditOf(ctx, toUuid(newId('aud')), {
          action: 'member.removed',
          subject: id,
          before: { email: gone.email, role: gone.role },
          after: { sessions_ended: ended, invitations_revoked: withdrawn },
        }),
      )
      return gone
    })
    lookup.forget({ user: member.user_id, org: ctx.org })
    return member
  },
})

const getMember = async (tx: Tx, org: string, id: MemberId): Promise<Member> => {
  const member = await findMember(tx, org, toUuid(id))
  if (!member) throw new Fault('not_found', `No member ${id}`)
  return member
}

/** Rejects the removal of the last owner. The count is exact until the commit because of the lock. */
const keepAnOwner = async (tx: Tx, org: string): Promise<void> => {
  const { owners } = await countMembers(tx, org)
  if (owners <= 1) throw new Fault('last_owner', 'This is the only owner; make another member owner first')
}

import {
  type Answer,
  type InvitationId,
  limits,
  peopleLimits,
  type Role,
  type Invitation as WireInvitation,
  type Session as WireSession,
} from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { isMailAddress } from '@ars/platform/mail/mailbox'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import type { MailDesk } from '../mail/index.ts'
import { pageSize, toList } from '../page.ts'
import { ownSubject } from './attempt.ts'
import { byOperator } from './audit-note.service.ts'
import { authorityOf, requireGrant, requireLasting, requireManage } from './authority.service.ts'
import { rememberDevice } from './device.service.ts'
import { normaliseEmail } from './email.ts'
import {
  acceptInvitation,
  findInvitation,
  findInvitationByHash,
  insertInvitation,
  listInvitations,
  listOpenInvitations,
  type OpenInvitation,
  revokeInvitations,
} from './invitation.store.ts'
import { linkInvalid, wrongLogin } from './login.service.ts'
import { countMembers, insertMember, isMemberByEmail } from './member.store.ts'
import { type Invitation, invitationToWire, linkOf } from './member.ts'
import { lockMembers } from './member-lock.service.ts'
import { findOrganisation } from './organisation.store.ts'
import type { PasswordService } from './password.service.ts'
import type { Person } from './person.ts'
import { voidResets } from './reset.store.ts'
import type { SessionService } from './session.service.ts'
import { tokenBytes } from './session.ts'
import type { SessionLookup } from './session-lookup.service.ts'
import { findUser, insertUser, type KnownUser, lockUser, proveEmail } from './user.store.ts'
import type { Visitor } from './visitor.ts'

export type InvitationService = {
  list(ctx: Pick<Ctx, 'org'>, page: ListInvitations): Promise<ReturnType<typeof toList<WireInvitation>>>
  invite(ctx: Ctx, body: { email: string; role: Role }): Promise<NewInvitation>
  /** By the operator, who is above all roles: this creates the first owner of an organisation. */
  inviteByOperator(org: string, body: { email: string; role: Role }): Promise<NewInvitation>
  revoke(ctx: Ctx, id: InvitationId): Promise<Invitation>
  accept(visitor: Visitor, body: Acceptance): Promise<Answer<WireSession>>
}

/** The link is part of this response only and cannot be read later. `isMailed`: another link for it is sent to the address. */
export type NewInvitation = { invitation: Invitation; link: string; isMailed: boolean }
type Acceptance = { token: string; name?: string | undefined; password: string }
type ListInvitations = {
  limit?: number | undefined
  after?: InvitationId | undefined
  before?: InvitationId | undefined
}

type Deps = {
  app: Database
  auth: Database
  newId: IdMaker
  config: { publicUrl: string }
  passwords: PasswordService
  sessions: SessionService
  lookup: SessionLookup
  mail?: MailDesk | undefined
}

/** The second token of the mailed link: a person who has it reads the mail of this address. */
type MailedLink = { id: string; link: Buffer; token: string; hash: Buffer }

type Adding = {
  email: string
  role: Role
  invitedBy: string | null
  earlier: Invitation[]
  mailedLink: MailedLink | null
}

export const createInvitations = (deps: Deps): InvitationService => {
  const { app, auth, newId, passwords, sessions, lookup } = deps

  // Before the transaction, because sealing may read a key with another connection.
  const newMailedLink = async (org: string): Promise<MailedLink | null> => {
    if (!deps.mail) return null
    const [token, second] = [newToken(), newToken()]
    const link = linkOf(deps.config.publicUrl, 'invitation', `${token}.${second}`)
    return { ...(await deps.mail.seal(org, link)), token, hash: sha256(second) }
  }

  const add = async (
    tx: Tx,
    org: string,
    { email, role, invitedBy, earlier, mailedLink }: Adding,
  ): Promise<NewInvitation> => {
    if (await isMemberByEmail(tx, org, email)) throw new Fault('member_exists', 'This person is a member already')
    const withdrawn = earlier.map(({ id }) => id)
    // Other changes of the members wait meanwhile.
    if (withdrawn.length > 0) await revokeInvitations(tx, org, withdrawn)
    const open = await listOpenInvitations(tx, org, null)
    if (open.length >= limits.invitationsPerOrganisation) {
      const most = `At most ${limits.invitationsPerOrganisation} invitations wait for an answer`
      throw new Fault('limit_reached', `${most}; withdraw one first`)
    }
    const token = mailedLink?.token ?? newToken()
    const id = toUuid(newId('inv'))
    const mailHash = mailedLink?.hash ?? null
    const invitation = await insertInvitation(tx, org, { id, email, role, hash: sha256(token), mailHash, invitedBy })
    const toBeQueued = { kind: 'invitation', email, to: { address: email } } as const
    const isMailed = mailedLink !== null && (await deps.mail?.queue(tx, org, { ...mailedLink, ...toBeQueued })) === true
    return { invitation, link: linkOf(deps.config.publicUrl, 'invitation', token), isMailed }
  }

  const invited = ({ id, email, role }: Invitation) =>
    ({ action: 'member.invited', subject: fromUuid('inv', id), after: { email, role } }) as const

  /**
   * The account of the person who uses the link. In a live session of this address it is the account of that session, confirmed
   * by its password. Otherwise it is a new account: nobody has proven an address, so no other account with it is touched, and
   * the answer does not tell whether one exists.
   */
  const provePerson = async (visitor: Visitor, email: string, body: Acceptance): Promise<Proof> => {
    const { sessionToken } = visitor
    const session = sessionToken === undefined ? null : await lookup.authenticate(sessionToken)
    const known = session && (await findUser(auth, toUuid(session.actor.id)))
    if (known?.email !== email) return { known: null, hash: await passwords.hashNew(body.password, email) }
    const subject = ownSubject(known.id)
    await passwords.countOwn(visitor, email, subject)
    if ((await passwords.verify([known.password_hash ?? ''], body.password)) === null) {
      throw new Fault('password_wrong', 'This is not the password of the account that is logged in', {
        param: 'password',
      })
    }
    return { known, subject }
  }

  const join = async (tx: Tx, { org_id, role, email, id, by_mail }: OpenInvitation, proof: Proof, name: string) => {
    await lockMembers(tx, org_id)
    if (!(await acceptInvitation(tx, org_id, id))) throw linkInvalid()
    const { members } = await countMembers(tx, org_id)
    if (members >= limits.membersPerOrganisation) {
      throw new Fault('limit_reached', `An organisation has at most ${limits.membersPerOrganisation} members`)
    }
    if (await isMemberByEmail(tx, org_id, email)) throw new Fault('member_exists', 'You are a member already')
    const user = proof.known ?? { id: toUuid(newId('usr')), email, name }
    if (proof.known === null) {
      await insertUser(tx, { ...user, passwordHash: proof.hash })
    } else {
      if (proof.known.organisations.length >= peopleLimits.organisationsPerUser) {
        throw new Fault(
          'limit_reached',
          `A person belongs to at most ${peopleLimits.organisationsPerUser} organisations`,
        )
      }
      if ((await lockUser(tx, user.id)) !== proof.known.password_hash) throw wrongLogin()
      // Links of other organisations end here: from now on they are not the only organisation of this person.
      await voidResets(tx, user.id)
      await passwords.uncount(tx, proof.subject)
    }
    // If another account has proven the address, this one stays as it is.
    if (by_mail) await proveEmail(tx, user.id, email)
    const member = { id: toUuid(newId('mem')), user: user.id, role }
    if (!(await insertMember(tx, org_id, member))) throw new Fault('member_exists', 'You are a member already')
    return { user, member }
  }

  return {
    list: async ({ org }, page) => {
      const rows = await listInvitations(app, org, {
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(
        rows.map((row) => invitationToWire(row)),
        page,
      )
    },
    invite: async (ctx, { email: address, role }) => {
      const email = mailAddressIn(address)
      const mailedLink = await newMailedLink(ctx.org)
      return app.transaction(ctx.org, async (tx) => {
        await lockMembers(tx, ctx.org)
        const authority = await authorityOf(tx, ctx)
        requireGrant(authority, role)
        requireLasting(authority)
        const earlier = await listOpenInvitations(tx, ctx.org, email)
        for (const { role: offered } of earlier) requireManage(authority, offered)
        const invitedBy = toUuid(ctx.actor.id)
        const made = await add(tx, ctx.org, { email, role, invitedBy, earlier, mailedLink })
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), invited(made.invitation)))
        return made
      })
    },
    inviteByOperator: async (org, { email: address, role }) => {
      const email = mailAddressIn(address)
      const mailedLink = await newMailedLink(org)
      return app.transaction(org, async (tx) => {
        await lockMembers(tx, org)
        const earlier = await listOpenInvitations(tx, org, email)
        const made = await add(tx, org, { email, role, invitedBy: null, earlier, mailedLink })
        await recordAudit(tx, org, byOperator(toUuid(newId('aud')), invited(made.invitation)))
        return made
      })
    },
    revoke: (ctx, id) =>
      app.transaction(ctx.org, async (tx) => {
        await lockMembers(tx, ctx.org)
        const authority = await authorityOf(tx, ctx)
        const invitation = await findInvitation(tx, ctx.org, toUuid(id))
        if (!invitation) throw new Fault('not_found', `No invitation ${id}`)
        requireManage(authority, invitation.role)
        if (invitation.status !== 'open') return invitation
        await revokeInvitations(tx, ctx.org, [invitation.id])
        const act = { action: 'invitation.revoked', subject: id, before: { email: invitation.email } }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return { ...invitation, status: 'revoked' }
      }),
    accept: async (visitor, body) => {
      const [token = '', second] = body.token.split('.')
      const mailHash = second === undefined ? null : sha256(second)
      const invitation = await findInvitationByHash(auth, { hash: sha256(token), mailHash })
      if (!invitation) throw linkInvalid()
      const proof = await provePerson(visitor, invitation.email, body)
      const organisation = await findOrganisation(auth, invitation.org_id)
      if (!organisation) throw linkInvalid()
      const { answer, replaced } = await auth.transaction(invitation.org_id, async (tx) => {
        const { user, member } = await join(tx, invitation, proof, body.name?.trim() ?? '')
        const joined = { ...organisation, role: invitation.role }
        const person: Person = {
          user,
          organisation: joined,
          organisations: [...(proof.known?.organisations ?? []), joined],
        }
        const actor = { type: 'user', id: fromUuid('usr', user.id) } as const
        const entry = auditOf({ ...visitor, actor }, toUuid(newId('aud')), {
          action: 'member.joined',
          subject: fromUuid('mem', member.id),
          after: { email: invitation.email, role: invitation.role },
        })
        // The person has just given the password of this account: strangers do not use up the attempts of this browser.
        const cookies = [await rememberDevice(tx, user.id)]
        const notes = [{ org: invitation.org_id, entry }]
        return sessions.start(tx, visitor, { person, expiresAt: null, notes, cookies })
      })
      if (replaced) lookup.forget({ session: replaced.id })
      return answer
    },
  }
}

/** An invitation to an address that no mail reaches could only be answered by somebody else. */
const mailAddressIn = (text: string): string => {
  const email = normaliseEmail(text)
  if (isMailAddress(email)) return email
  throw new Fault('input_invalid', 'email must be an address that mail can be sent to, such as ada@example.com.', {
    param: 'email',
  })
}

const newToken = (): string => randomBytes(tokenBytes).toString('base64url')

type Proof = { known: null; hash: string } | { known: KnownUser; subject: Buffer }

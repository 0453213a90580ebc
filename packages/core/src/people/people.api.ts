import { Answer, type contract, type Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ChoiceService } from '../mail/index.ts'
import { invitationToWire, memberToWire } from './member.ts'
import type { People } from './people.service.ts'
import { userToWire } from './person.ts'

export const authApi = ({
  login,
  sessions,
  profiles,
  invitations,
  proofs,
}: People): Handlers<typeof contract.auth, Ctx> => ({
  login: (ctx, body) => login.login(ctx, body),
  logout: (ctx) => sessions.logout(ctx),
  me: (ctx) => sessions.me(ctx),
  updateMe: (ctx, { name }) => profiles.rename(ctx, name),
  switchOrganisation: (ctx, { organisation_id }) => sessions.switchOrganisation(ctx, organisation_id),
  changePassword: (ctx, body) => login.changePassword(ctx, body),
  resetPassword: async (ctx, body) => {
    const { user, cookie } = await login.resetPassword(ctx, body)
    return new Answer({ object: 'password_reset', user: userToWire(user) }, { headers: { 'set-cookie': cookie } })
  },
  sendEmailProof: (ctx) => proofs.send(ctx),
  proveEmail: (ctx, { token }) => proofs.prove(ctx, token),
  acceptInvitation: (ctx, body) => invitations.accept(ctx, body),
})

export const sessionApi = ({ sessions }: People): Handlers<typeof contract.sessions, Ctx> => ({
  list: (ctx, page) => sessions.list(ctx, page),
  end: (ctx, { id }) => sessions.end(ctx, id),
})

export const memberApi = (
  { members, invitations, resets }: People,
  choices: ChoiceService,
): Handlers<typeof contract.members, Ctx> => ({
  list: (ctx, page) => members.list(ctx, page),
  directory: (ctx, page) => members.directory(ctx, page),
  invitations: (ctx, page) => invitations.list(ctx, page),
  invite: async (ctx, body) => {
    const { invitation, link, isMailed } = await invitations.invite(ctx, body)
    return { ...invitationToWire(invitation), link, mailed: isMailed }
  },
  revokeInvitation: async (ctx, { id }) => invitationToWire(await invitations.revoke(ctx, id)),
  notifications: (ctx) => choices.get(ctx),
  updateNotifications: (ctx, { kinds }) => choices.set(ctx, kinds),
  update: async (ctx, { id, role }) => memberToWire(await members.update(ctx, id, { role })),
  remove: async (ctx, { id, keys }) => memberToWire(await members.remove(ctx, id, { keys })),
  resetPassword: async (ctx, { member_id: id }) => {
    const { link, expiresAt, isMailed } = await resets.makeLink(ctx, id)
    const expires_at = expiresAt.toISOString()
    return { object: 'password_reset_link', member_id: id, link, mailed: isMailed, expires_at }
  },
})

import type { MemberSummary, Role, Invitation as WireInvitation, Member as WireMember } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

export type Member = { id: string; user_id: string; email: string; name: string; role: Role; created_at: Date }

export const memberToWire = (member: Member): WireMember => ({
  id: fromUuid('mem', member.id),
  object: 'member',
  user_id: fromUuid('usr', member.user_id),
  email: member.email,
  name: member.name,
  role: member.role,
  created_at: member.created_at.toISOString(),
})

export const memberToSummary = ({ id, user_id, name, role }: Member): MemberSummary => ({
  id: fromUuid('mem', id),
  object: 'member_summary',
  user_id: fromUuid('usr', user_id),
  name,
  role,
})

export type Invitation = {
  id: string
  email: string
  role: Role
  status: WireInvitation['status']
  /** A user or a key. Null: the operator. */
  invited_by: string | null
  by_key: boolean
  created_at: Date
  expires_at: Date
}

export const invitationToWire = (invitation: Invitation): WireInvitation => ({
  id: fromUuid('inv', invitation.id),
  object: 'invitation',
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  invited_by:
    invitation.invited_by === null ? null : fromUuid(invitation.by_key ? 'key' : 'usr', invitation.invited_by),
  created_at: invitation.created_at.toISOString(),
  expires_at: invitation.expires_at.toISOString(),
})

/** The token is in the fragment, which browsers do not send: it appears in no server log. */
export const linkOf = (publicUrl: string, page: LinkPage, token: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/dashboard/${page}#token=${token}`

type LinkPage = 'invitation' | 'password-reset' | 'email-proof'
